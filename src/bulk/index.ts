/**
 * Buys a list of items once, at the pace of the rate limits, and continues after a crash where it stopped.
 *
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { fileJournal, purchaseAll } from 'billpay/bulk';
 *
 * const params = { biller: 'MTN', recipient: '08031234567', amount: 500 };
 * const run = purchaseAll(new BillPay({ pacing: true }), [{ product: 'airtime', params, idempotency_key: 'payday/1' }], {
 *   journal: fileJournal('payday.journal'),
 * });
 * console.log(await run.summary());
 * ```
 * @module billpay/bulk
 */

export type { BulkOutcome, BulkProgress, BulkRun, BulkStop, BulkSummary } from './bulk-run.js';
export { JournalBusyError, JournalCorruptError } from './errors.js';
export { fileJournal } from './file-journal.js';
export { type BulkClient, type BulkItem, fingerprint, itemErrors } from './item.js';
export type {
  AcceptedSale,
  Journal,
  JournalOutcome,
  JournalSettlement,
  JournalState,
  JournalTotals,
  OpenJournal,
} from './journal.js';
export { type PurchaseAllOptions, purchaseAll } from './purchase-all.js';
export {
  type SettleAllOptions,
  type SettleClient,
  type SettleOutcome,
  type SettleSummary,
  settleAll,
} from './settle-all.js';
