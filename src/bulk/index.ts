export { JournalBusyError, JournalCorruptError } from '../errors/journal-errors.js';
export type { BulkOutcome, BulkProgress, BulkRun, BulkStop, BulkSummary } from './bulk-run.js';
export { fileJournal } from './file-journal.js';
export { type BulkClient, type BulkItem, itemErrors } from './item.js';
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
