import type { StoredDelivery } from '../deliveries/deliveries.js';
import type { ActivityDetail } from '../records/activity.js';
import type { ReferencedEntry, TimelineEntry } from '../records/timeline.js';
import type { PriceChange } from '../rules/catalogue.js';
import type { Client, StoredClient } from '../rules/clients.js';
import { scheduleSettlement } from '../rules/purchase.js';
import type { ServiceState } from '../rules/service-state.js';
import type { Transaction } from '../rules/transactions.js';
import type { LedgerEntry } from '../rules/wallet.js';

/**
 * One thing as it is after a change: its kind, its key within the kind, and its value. A later record replaces an earlier one of the same key;
 * what only grows has no keys.
 */
export type StateRecord = readonly [kind: string, key: string | null, value: unknown];

/** The entries of one transaction's timeline, or some of them. */
interface StoredTimeline {
  readonly reference: string;
  readonly entries: readonly TimelineEntry[];
}

/** The log of requests is not kept, so that no entry leads to one. */
function timelineRecord(reference: string, timeline: readonly TimelineEntry[]): StateRecord {
  const entries = timeline.map((entry) => ({ ...entry, requestId: undefined }));
  return ['timeline', null, { reference, entries } satisfies StoredTimeline];
}

/** A client itself, without its wallet and keys, which have records of their own; a handler cannot be kept. */
function clientRecord(state: ServiceState, clientId: string): StateRecord {
  const { wallet: _wallet, keys: _keys, subscription, ...rest } = state.clients.byId(clientId) ?? {};
  const kept = subscription && { ...subscription, handler: undefined };
  return ['client', clientId, { ...rest, subscription: kept }];
}

/** What is kept of something that happened: nothing of requests and faults. */
function recordsOf(detail: ActivityDetail, state: ServiceState): readonly StateRecord[] {
  switch (detail.type) {
    case 'wallet':
      return [['ledger', null, { clientId: detail.clientId, entry: detail.entry }]];
    case 'transaction':
      return [['transaction', detail.transaction.reference, detail.transaction]];
    case 'client':
    case 'subscription':
      return [clientRecord(state, detail.clientId)];
    case 'event':
    case 'delivery':
      return [['delivery', detail.delivery.id, detail.delivery]];
    case 'price': {
      const { product, biller, product_code } = detail.price;
      return [['price', `${product}/${biller.toUpperCase()}/${product_code}`, detail.price]];
    }
    case 'clock':
      return [['clock', '', detail.now.getTime()]];
    default:
      return [];
  }
}

/** Records of what has happened, together with the entries that it made in the timelines. */
export const changesOf = (
  details: readonly ActivityDetail[],
  timeline: readonly ReferencedEntry[],
  state: ServiceState,
): readonly StateRecord[] => [
  ...details.flatMap((detail) => recordsOf(detail, state)),
  ...timeline.map(({ reference, entry }) => timelineRecord(reference, [entry])),
];

/** What each start may change, the seed and the clock, and these clients with their wallets. */
export function* beginningOf(
  state: ServiceState,
  seed: string,
  clients: readonly Client[],
): Generator<StateRecord> {
  yield ['seed', '', seed];
  yield ['clock', '', state.clock.now()];
  for (const { clientId, wallet } of clients) {
    yield clientRecord(state, clientId);
    for (const entry of wallet.ledger) yield ['ledger', null, { clientId, entry }];
  }
}

/** How many records `snapshotOf` makes, but for the seed and the clock. */
export const sizeOf = ({ clients, catalogue, transactions, deliveries }: ServiceState): number =>
  clients.list.reduce((sum, { wallet }) => sum + 1 + wallet.ledger.length, 0) +
  catalogue.changes.length +
  2 * transactions.list.length +
  deliveries.list.length;

/** Records of everything there is. */
export function* snapshotOf(state: ServiceState, seed: string): Generator<StateRecord> {
  yield* beginningOf(state, seed, state.clients.list);
  for (const price of state.catalogue.changes) yield* recordsOf({ type: 'price', price }, state);
  for (const transaction of state.transactions.list) {
    const { reference } = transaction;
    yield ['transaction', reference, transaction];
    yield timelineRecord(reference, state.timelines.of(reference));
  }
  for (const delivery of state.deliveries.list) yield ['delivery', delivery.id, delivery];
}

/** The last record of each thing, by kind and key. */
export class StoredThings {
  readonly #kinds = new Map<string, Map<string | number, unknown>>();
  /** One date for each text that JSON has left of one. */
  readonly #dates = new Map<unknown, Date>();

  constructor(records: Iterable<StateRecord>) {
    for (const [kind, key, value] of records) {
      const things = this.#kinds.get(kind) ?? new Map<string | number, unknown>();
      this.#kinds.set(kind, things.set(key ?? things.size, value));
    }
  }

  get seed(): string | undefined {
    return this.#all<string>('seed')[0];
  }

  /** ms since 1970: the latest time of all, because a process may have ended while its clock moved. */
  get clock(): number | undefined {
    const [clock] = this.#all<number>('clock');
    if (clock === undefined) return undefined;
    const times = this.#all<StoredTimeline>('timeline').flatMap(({ entries }) => entries.map(({ at }) => at));
    return times.reduce((latest, at) => Math.max(latest, new Date(at).getTime()), clock);
  }

  /**
   * Moves everything into a new state, and schedules what is pending; what fell due meanwhile is due at once, in its order. Returns the
   * clients that were not stored.
   */
  restoreTo(state: ServiceState): readonly Client[] {
    const stored = this.#all<StoredClient>('client');
    const added = state.clients.list.filter(
      (one) => !stored.some(({ clientId }) => clientId === one.clientId),
    );
    for (const price of this.#all<PriceChange>('price')) state.catalogue.setPrice(price);
    for (const client of stored) state.clients.restore(client);
    for (const { clientId, entry } of this.#all<{ clientId: string; entry: LedgerEntry }>('ledger')) {
      state.clients.byId(clientId)?.wallet.restore(this.#withDates(entry, 'at'));
    }
    for (const transaction of this.#all<Transaction>('transaction')) {
      state.transactions.add(this.#withDates(transaction, 'settledAt', 'settlesAt'));
      state.clients.byId(transaction.clientId)?.keys.set(transaction.idempotency_key, transaction);
      if (transaction.status === 'pending') scheduleSettlement(state, transaction);
    }
    for (const { reference, entries } of this.#all<StoredTimeline>('timeline')) {
      for (const entry of entries) state.timelines.add({ reference, entry: this.#withDates(entry, 'at') });
    }
    for (const delivery of this.#all<StoredDelivery>('delivery')) {
      const client = state.clients.byId(delivery.clientId);
      for (const attempt of delivery.attempts) this.#withDates(attempt, 'at');
      if (client) state.deliveries.restore(client, this.#withDates(delivery, 'at', 'nextAttemptAt'));
    }
    this.#kinds.clear();
    this.#dates.clear();
    return added;
  }

  /** The same object, in which these times are dates again. */
  #withDates<T extends object>(stored: T, ...names: readonly (keyof T)[]): T {
    for (const name of names) {
      const text: unknown = stored[name];
      if (typeof text !== 'string') continue;
      const date = this.#dates.get(text) ?? new Date(text);
      this.#dates.set(text, date);
      Object.assign(stored, { [name]: date });
    }
    return stored;
  }

  // The checksums have proved that these are the records that this module wrote; only their times are still text.
  #all<T>(kind: string): T[] {
    return [...(this.#kinds.get(kind)?.values() ?? [])] as T[];
  }
}
