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

export type { PostgresClient, PostgresPool } from '../postgres/pool.js';
export type { AccountStop } from './account.js';
export type { CancelOrder, ListOrders, PlaceOrder, ResolveOrder, StartOrders } from './call-options.js';
export {
  ContradictoryEndError,
  DuplicateOrderError,
  type ExistingOrder,
  OrderConflictError,
  OrderNotFoundError,
  OrderStateError,
} from './errors.js';
export type { HookContext, OrderHook, OrderHooks, OrdersClient, OrdersOptions } from './options.js';
export type {
  NewOrder,
  Order,
  OrderError,
  OrderHistoryDetail,
  OrderHistoryEntry,
  OrderInput,
  StoredOrder,
} from './order.js';
export {
  checkOrder,
  createOrders,
  type OrderStats,
  type Orders,
  type OrderWebhookOptions,
} from './orders.js';
export { type BullmqQueueLike, type BullmqQueueOptions, bullmqQueue } from './queues/bullmq.js';
export { inProcessQueue } from './queues/in-process.js';
export {
  type PgBossLike,
  type PgBossQueueOptions,
  type PgBossSendOptions,
  pgBossQueue,
} from './queues/pg-boss.js';
export type {
  OrderJob,
  OrderQueue,
  OrderRank,
  OrderStepJob,
  OrderSweepJob,
  QueueWorkOptions,
} from './queues/queue.js';
export type { FindingValue, ReconcileFinding } from './reconcile/finding.js';
export { type ReconcileFindingKind, reconcileFindings } from './reconcile/kinds.js';
export type { ReconcileOptions } from './reconcile/options.js';
export type { ReconcileProgress, ReconcileReport, StatementTotals } from './reconcile/report.js';
export type { StatementRow, WalletStatement } from './reconcile/statement.js';
export { type StatementColumns, statementRows } from './reconcile/statement-rows.js';
export type { SalesSum, SalesTotal } from './reconcile/sums.js';
export {
  type FinalOrderState,
  finalStates,
  type OrderEvent,
  type OrderState,
  orderStates,
} from './states.js';
export {
  type DueOrder,
  type DueQuery,
  DuplicateReferenceError,
  type InsertOptions,
  type KeptEvent,
  type OrderChange,
  type OrderGuard,
  type OrderNote,
  type OrderQuery,
  type OrderStore,
  type PlacedOrder,
  type SettleableEvent,
  type StatsQuery,
  type StoredOrderStats,
  type TimeRange,
} from './store.js';
export { type MemoryOrderClient, type MemoryOrderStoreOptions, memoryOrderStore } from './stores/memory.js';
export {
  type MysqlOrderStore,
  type MysqlOrderStoreOptions,
  mysqlOrderStore,
} from './stores/mysql.js';
export type {
  MysqlOrderClient,
  MysqlOrderConnection,
  MysqlOrderPool,
  MysqlValue,
} from './stores/mysql-pool.js';

export {
  type PostgresOrderStore,
  type PostgresOrderStoreOptions,
  postgresOrderStore,
} from './stores/postgres.js';
export { type SqliteOrderStoreOptions, sqliteOrderStore } from './stores/sqlite.js';
export type { SqliteOrderDatabase, SqliteStatement, SqliteValue } from './stores/sqlite-schema.js';
export type { OrderWorker } from './worker.js';
