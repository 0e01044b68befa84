import type { StoredDelivery } from '../deliveries/deliveries.js';
import type { ActivityDetail } from '../records/activity.js';
import type { ReferencedEntry } from '../records/timeline.js';
import type { PriceChange } from '../rules/catalogue.js';
import type { StoredClient } from '../rules/clients.js';
import { scheduleSettlement } from '../rules/purchase.js';
import type { ServiceState } from '../rules/service-state.js';
import type { Transaction } from '../rules/transactions.js';
import type { LedgerEntry } from '../rules/wallet.js';

/** One thing as it is after a change: its kind, its key within the kind, and its value. A later record replaces an earlier one. */
export type StateRecord = readonly [kind: string, key: string, value: unknown];

/** A client itself, without its wallet and keys, which have records of their own; a handler cannot be kept. */
function clientRecord(state: ServiceState, clientId: string): StateRecord {
  const { wallet: _wallet, keys: _keys, subscription, ...rest } = state.clients.byId(clientId) ?? {};
  const kept = subscription && { ...subscription, handler: undefined };
  return ['client', clientId, { ...rest, subscription: kept }];
}

const ledgerRecord = (clientId: string, index: number, entry: LedgerEntry): StateRecord => [
  'ledger',
  `${clientId}/${index}`,
  { clientId, entry },
];

const priceRecord = (price: PriceChange): StateRecord => [
  'price',
  `${price.product}/${price.biller.toUpperCase()}/${price.product_code}`,
  price,
];

const timelineRecord = (referenced: ReferencedEntry): StateRecord => [
  'timeline',
  String(referenced.entry.sequence),
  referenced,
];

/** Everything there is. */
export function* snapshotOf(state: ServiceState, seed: string): Generator<StateRecord> {
  yield ['seed', '', seed];
  yield ['clock', '', state.clock.now()];
  for (const price of state.catalogue.changes) yield priceRecord(price);
  for (const { clientId, wallet } of state.clients.list) {
    yield clientRecord(state, clientId);
    for (const [index, entry] of wallet.ledger.entries()) yield ledgerRecord(clientId, index, entry);
  }
  for (const transaction of state.transactions.list) {
    const { reference } = transaction;
    yield ['transaction', reference, transaction];
    for (const entry of state.timelines.of(reference)) yield timelineRecord({ reference, entry });
  }
  for (const delivery of state.deliveries.list) yield ['delivery', delivery.id, delivery];
}

function changedBy(activity: ActivityDetail, state: ServiceState, seed: string): Iterable<StateRecord> {
  switch (activity.type) {
    case 'wallet': {
      const { clientId, entry } = activity;
      return [ledgerRecord(clientId, (state.clients.byId(clientId)?.wallet.ledger.length ?? 0) - 1, entry)];
    }
    case 'transaction':
      return [['transaction', activity.transaction.reference, activity.transaction]];
    case 'client':
    case 'subscription':
      return [clientRecord(state, activity.clientId)];
    case 'event':
    case 'delivery':
      return [['delivery', activity.delivery.id, activity.delivery]];
    case 'price':
      return [priceRecord(activity.price)];
    case 'clock':
      return [['clock', '', activity.now.getTime()]];
    case 'reset':
      return [['reset', '', null], ...snapshotOf(state, seed)];
    default:
      return [];
  }
}

/** What activities have changed, together with the entries that they made in the timelines. */
export const recordsOf = (
  activities: readonly ActivityDetail[],
  timeline: readonly ReferencedEntry[],
  state: ServiceState,
  seed: string,
): readonly StateRecord[] => [
  ...activities.flatMap((activity) => [...changedBy(activity, state, seed)]),
  ...timeline.map(timelineRecord),
];

/** The last record of each thing, by kind and key. */
export class StoredThings {
  readonly #kinds = new Map<string, Map<string, unknown>>();

  constructor(records: Iterable<StateRecord>) {
    for (const [kind, key, value] of records) {
      if (kind === 'reset') this.#kinds.clear();
      const things = this.#kinds.get(kind) ?? new Map<string, unknown>();
      this.#kinds.set(kind, things.set(key, value));
    }
  }

  get seed(): string | undefined {
    return this.#all<string>('seed')[0];
  }

  /** ms since 1970. */
  get clock(): number | undefined {
    return this.#all<number>('clock')[0];
  }

  /** Restores everything into a new state, and schedules what is pending; what fell due meanwhile is due at once, in its order. */
  restoreTo(state: ServiceState): void {
    for (const price of this.#all<PriceChange>('price')) state.catalogue.setPrice(price);
    for (const client of this.#all<StoredClient>('client')) state.clients.restore(client);
    for (const { clientId, entry } of this.#all<{ clientId: string; entry: LedgerEntry }>('ledger')) {
      state.clients.byId(clientId)?.wallet.restore(withDates(entry));
    }
    for (const stored of this.#all<Transaction>('transaction')) {
      const transaction = withDates(stored);
      state.transactions.add(transaction);
      state.clients.byId(transaction.clientId)?.keys.use(transaction.idempotency_key, transaction);
      if (transaction.status === 'pending') scheduleSettlement(state, transaction);
    }
    for (const { reference, entry } of this.#all<ReferencedEntry>('timeline')) {
      // The log of requests is not kept.
      state.timelines.restore(reference, { ...withDates(entry), requestId: undefined });
    }
    for (const delivery of this.#all<StoredDelivery & { clientId: string }>('delivery')) {
      const client = state.clients.byId(delivery.clientId);
      const attempts = delivery.attempts.map(withDates);
      if (client) state.deliveries.restore(client, { ...withDates(delivery), attempts });
    }
  }

  // The checksums have proved that these are the records that this module wrote; only their times are still text.
  #all<T>(kind: string): T[] {
    return [...(this.#kinds.get(kind)?.values() ?? [])] as T[];
  }
}

const timeNames = ['at', 'settledAt', 'settlesAt', 'nextAttemptAt'];

/** The same with dates where JSON has left texts. */
function withDates<T extends object>(stored: T): T {
  const dates = timeNames.flatMap((name) => {
    const text: unknown = Reflect.get(stored, name);
    return typeof text === 'string' ? [[name, new Date(text)]] : [];
  });
  return { ...stored, ...Object.fromEntries(dates) };
}
