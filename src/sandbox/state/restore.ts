import type { StoredAccount } from '../service/accounts.js';
import type { PriceChange } from '../service/catalogue.js';
import type { StoredDelivery } from '../service/deliveries.js';
import { scheduleSettlement } from '../service/purchase.js';
import type { ServiceState } from '../service/service-state.js';
import type { TimelineEntry } from '../service/timeline.js';
import type { Transaction } from '../service/transactions.js';
import type { LedgerEntry } from '../service/wallet.js';
import type { StateRecord } from './state-file.js';

/** A value after JSON: its times are text. */
type Stored<T> = {
  [Name in keyof T]: T[Name] extends Date
    ? string
    : T[Name] extends Date | undefined
      ? string | undefined
      : T[Name];
};

/** The content of a state file, in the order of creation. */
export interface StoredState {
  /** Which share of the records was not replaced by a later one, from 0 to 1. */
  readonly liveShare: number;
  readonly seed: string | undefined;
  /** ms since 1970. */
  readonly clock: number | undefined;
  readonly accounts: readonly StoredAccount[];
  readonly prices: readonly PriceChange[];
  readonly ledger: readonly { readonly clientId: string; readonly entry: Stored<LedgerEntry> }[];
  readonly sales: readonly Stored<Transaction>[];
  readonly deliveries: readonly (Stored<StoredDelivery> & { readonly clientId: string })[];
  readonly timeline: readonly { readonly reference: string; readonly entry: Stored<TimelineEntry> }[];
}

/** The last record of each thing. */
export function collectRecords(records: readonly StateRecord[]): StoredState {
  const kinds = new Map<string, Map<string, unknown>>();
  for (const [kind, key, value] of records) {
    if (kind === 'reset') {
      kinds.clear();
      continue;
    }
    const things = kinds.get(kind) ?? new Map<string, unknown>();
    kinds.set(kind, things);
    things.set(key, value);
  }
  // The checksums have proved that these are the records that this module wrote.
  const all = <T>(kind: string): T[] => [...(kinds.get(kind)?.values() ?? [])] as T[];
  const [seed] = all<string>('seed');
  const [clock] = all<number>('clock');
  const accounts = [...(kinds.get('account') ?? [])].map(
    ([clientId, account]) => ({ ...(account as object), clientId }) as StoredAccount,
  );
  const live = [...kinds.values()].reduce((sum, things) => sum + things.size, 0);
  return {
    liveShare: records.length === 0 ? 1 : live / records.length,
    seed,
    clock,
    accounts,
    prices: all('price'),
    ledger: all('ledger'),
    sales: all('sale'),
    deliveries: all('delivery'),
    timeline: all('timeline'),
  };
}

const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

/** Restores everything into a new state and schedules what is pending; what fell due meanwhile is due at once, in its order. */
export function restoreState(state: ServiceState, stored: StoredState): void {
  for (const price of stored.prices) state.catalogue.setPrice(price);
  for (const account of stored.accounts) state.accounts.restore(account);
  for (const { clientId, entry } of stored.ledger) {
    state.accounts.byId(clientId)?.wallet.restore({
      ...entry,
      idempotency_key: entry.idempotency_key,
      reference: entry.reference,
      at: new Date(entry.at),
    });
  }
  for (const sale of stored.sales) restoreSale(state, sale);
  for (const { reference, entry } of stored.timeline) {
    state.timelines.restore(reference, { ...entry, at: new Date(entry.at), requestId: undefined });
    state.feed.continueAfter(entry.sequence);
  }
  for (const delivery of stored.deliveries) {
    const account = state.accounts.byId(delivery.clientId);
    if (!account) continue;
    state.deliveries.restore(account, {
      id: delivery.id,
      reference: delivery.reference,
      event: delivery.event,
      body: delivery.body,
      at: new Date(delivery.at),
      state: delivery.state,
      attempts: delivery.attempts.map((attempt) => ({
        ...attempt,
        corruption: attempt.corruption,
        status: attempt.status,
        error: attempt.error,
        reply: attempt.reply,
        at: new Date(attempt.at),
      })),
      nextAttemptAt: dateOf(delivery.nextAttemptAt),
      retries: delivery.retries,
    });
  }
}

function restoreSale(state: ServiceState, sale: Stored<Transaction>): void {
  const transaction: Transaction = {
    ...sale,
    product_code: sale.product_code,
    meter_type: sale.meter_type,
    completed_at: sale.completed_at,
    settledAt: dateOf(sale.settledAt),
    settlesAt: dateOf(sale.settlesAt),
  };
  state.transactions.add(transaction);
  state.accounts.byId(transaction.clientId)?.keys.use(transaction.idempotency_key, transaction);
  if (transaction.status === 'pending') scheduleSettlement(state, transaction);
}
