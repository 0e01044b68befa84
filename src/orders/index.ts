/**
 * Keeps orders in your own database: each is charged once and ends once.
 *
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { createOrders, memoryOrderStore } from 'billpay/orders';
 *
 * const orders = createOrders({ billpay: new BillPay(), store: memoryOrderStore() });
 * await orders.place({ id: 'order-7', product: 'airtime', params: { biller: 'MTN', recipient: '08031234567', amount: 500 } });
 * await orders.buy('order-7');
 * ```
 * @module billpay/orders
 */

export type { PostgresClient, PostgresPool } from '../postgres.js';
export type { BreakerState } from './breaker.js';
export type { CancelOrder, ListOrders, PlaceOptions, ResolveOrder, StartOrders } from './call-options.js';
export {
  ContradictoryEndError,
  DuplicateOrderError,
  OrderConflictError,
  OrderNotFoundError,
  OrderStateError,
} from './errors.js';
export type { HookContext, OrderHook, OrderHooks, OrdersClient, OrdersOptions } from './options.js';
export type {
  Order,
  OrderError,
  OrderHistoryDetail,
  OrderHistoryEntry,
  OrderInput,
} from './order.js';
export {
  checkOrder,
  createOrders,
  type OrderStats,
  type Orders,
  type OrderWebhookOptions,
} from './orders.js';
export type { OrderPlaced } from './place.js';
export {
  type BullmqQueueLike,
  type BullmqQueueOptions,
  type BullmqWorkerClass,
  bullmqQueue,
} from './queues/bullmq.js';
export { inProcessQueue } from './queues/in-process.js';
export {
  type PgBossLike,
  type PgBossQueueOptions,
  type PgBossSendOptions,
  pgBossQueue,
} from './queues/pg-boss.js';
export type { OrderQueue, QueueWork } from './queues/queue.js';
export {
  type FindingValue,
  type ReconcileFinding,
  type ReconcileFindingKind,
  reconcileFindings,
} from './reconcile/finding.js';
export type { ReconcileOptions } from './reconcile/options.js';
export type { Reconciliation } from './reconcile/reconcile.js';
export type { StatementRow, WalletStatement } from './reconcile/statement.js';
export { type StatementColumns, statementRows } from './reconcile/statement-rows.js';
export type { BookSum, BookTotal, ReconcileSummary, StatementTotals } from './reconcile/sums.js';
export {
  type FinalOrderState,
  finalStates,
  type Lane,
  type OrderEvent,
  type OrderState,
  orderStates,
} from './states.js';
export type { StatsQuery, StoredOrderStats, TimeRange } from './store.js';
export { type MemoryOrderClient, type MemoryOrderStoreOptions, memoryOrderStore } from './stores/memory.js';
export {
  type MysqlOrderClient,
  type MysqlOrderConnection,
  type MysqlOrderPool,
  mysqlOrderStore,
} from './stores/mysql.js';
export { postgresOrderStore } from './stores/postgres.js';
export type { ServerOrderStore, ServerOrderStoreOptions } from './stores/schema.js';
export type { SqlValue } from './stores/sql.js';
export {
  type SqliteOrderDatabase,
  type SqliteOrderStoreOptions,
  type SqliteStatement,
  sqliteOrderStore,
} from './stores/sqlite.js';
export type { OrderWorker } from './worker.js';
