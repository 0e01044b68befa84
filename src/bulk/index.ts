/**
 * Buys a list of items once, at the pace of the rate limits, and continues after a crash. The items are orders of `billpay/orders`.
 *
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { purchaseAll } from 'billpay/bulk';
 * import { sqliteOrderStore } from 'billpay/orders';
 * import { DatabaseSync } from 'node:sqlite';
 *
 * const params = { biller: 'MTN', recipient: '08031234567', amount: 500 };
 * const items = [{ product: 'airtime', params, idempotency_key: 'payday/1' } as const];
 * const store = sqliteOrderStore(new DatabaseSync('payday.db'));
 * console.log(await purchaseAll(new BillPay({ pacing: true }), items, { store, run: 'payday' }));
 * ```
 * @module billpay/bulk
 */
export type { PurchaseItem } from '../contract/purchase-item.js';
export type { BulkResult } from './list.js';
export { type BulkStop, type BulkSummary, type PurchaseAllOptions, purchaseAll } from './purchase-all.js';
export { type SettleAllOptions, type SettleSummary, settleAll } from './settle-all.js';
