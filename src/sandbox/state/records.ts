import type { StoredDelivery } from '../deliveries/deliveries.js';
import type { ActivityDetail } from '../records/activity.js';
import type { ReferencedEntry } from '../records/timeline.js';
import type { PriceChange } from '../rules/catalogue.js';
import type { StoredClient } from '../rules/clients.js';
import { scheduleSettlement } from '../rules/purchase.js';
import type { ServiceState } from '../rules/service-state.js';
import type { Transaction } from '../rules/transactions.js';
import type { LedgerEntry } from '../rules/wallet.js';

/**
 * One thing as it is after a change: its kind, its key within the kind, and its value. A later record replaces an earlier one of the same key;
 * what only grows has no keys.
 */
export type StateRecord = readonly [kind: string, key: string | null, value: unknown];

/** A client itself, without its wallet and keys, which have records of their own; a handler cannot be kept. */
function clientRecord(state: ServiceState, clientId: string): StateRecord {
  const { wallet: _wallet, keys: _keys, subscription, ...rest } = state.clients.byId(clientId) ?? {};
  const kept = subscription && { ...subscription, handler: undefined };
  return ['client', clientId, { ...rest, subscription: kept }];
}

/** What is kept of something that happened. */
function* recordsOf(detail: ActivityDetail, state: ServiceState, seed: string): Generator<StateRecord> {
  switch (detail.type) {
    case 'wallet':
      return yield ['ledger', null, { clientId: detail.clientId, entry: detail.entry }];
    case 'transaction':
      return yield ['transaction', detail.transaction.reference, detail.transaction];
    case 'client':
    case 'subscription':
      return yield clientRecord(state, detail.clientId);
    case 'event':
    case 'delivery':
      return yield ['delivery', detail.delivery.id, detail.delivery];
    case 'price': {
      const { product, biller, product_code } = detail.price;
      return yield ['price', `${product}/${biller.toUpperCase()}/${product_code}`, detail.price];
    }
    case 'clock':
      return yield ['clock', '', detail.now.getTime()];
    case 'reset':
      yield ['reset', '', null];
      return yield* snapshotOf(state, seed);
  }
}

/** Everything there is, as if it had happened just now. */
function* detailsOf(state: ServiceState): Generator<ActivityDetail> {
  yield { type: 'clock', now: new Date(state.clock.now()) };
  for (const price of state.catalogue.changes) yield { type: 'price', price };
  for (const { clientId, wallet } of state.clients.list) {
    yield { type: 'client', clientId };
    for (const entry of wallet.ledger) yield { type: 'wallet', clientId, entry };
  }
  for (const transaction of state.transactions.list)
    yield { type: 'transaction', change: 'accepted', transaction };
  for (const delivery of state.deliveries.list) yield { type: 'event', delivery };
}

/** Records of everything there is. */
export function* snapshotOf(state: ServiceState, seed: string): Generator<StateRecord> {
  yield ['seed', '', seed];
  for (const detail of detailsOf(state)) yield* recordsOf(detail, state, seed);
  for (const { reference } of state.transactions.list) {
    for (const entry of state.timelines.of(reference)) yield ['timeline', null, { reference, entry }];
  }
}

/** Records of what has happened, together with the entries that it made in the timelines. */
export const changesOf = (
  details: readonly ActivityDetail[],
  timeline: readonly ReferencedEntry[],
  state: ServiceState,
  seed: string,
): readonly StateRecord[] => [
  ...details.flatMap((detail) => [...recordsOf(detail, state, seed)]),
  ...timeline.map((referenced): StateRecord => ['timeline', null, referenced]),
];

/** The date of which JSON has left a text. */
const dateOf = <T extends Date | undefined>(stored: T): T | Date => stored && new Date(stored);

/** The last record of each thing, by kind and key. */
export class StoredThings {
  readonly #kinds = new Map<string, Map<string | number, unknown>>();

  constructor(records: Iterable<StateRecord>) {
    for (const [kind, key, value] of records) {
      if (kind === 'reset') this.#kinds.clear();
      const things = this.#kinds.get(kind) ?? new Map<string | number, unknown>();
      this.#kinds.set(kind, things.set(key ?? things.size, value));
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
      state.clients.byId(clientId)?.wallet.restore({ ...entry, at: dateOf(entry.at) });
    }
    for (const stored of this.#all<Transaction>('transaction')) {
      const [settledAt, settlesAt] = [dateOf(stored.settledAt), dateOf(stored.settlesAt)];
      const transaction = { ...stored, settledAt, settlesAt };
      state.transactions.add(transaction);
      state.clients.byId(transaction.clientId)?.keys.set(transaction.idempotency_key, transaction);
      if (transaction.status === 'pending') scheduleSettlement(state, transaction);
    }
    for (const { reference, entry } of this.#all<ReferencedEntry>('timeline')) {
      // The log of requests is not kept.
      state.timelines.add({ reference, entry: { ...entry, at: dateOf(entry.at), requestId: undefined } });
    }
    for (const stored of this.#all<StoredDelivery>('delivery')) {
      const client = state.clients.byId(stored.clientId);
      const attempts = stored.attempts.map((attempt) => ({ ...attempt, at: dateOf(attempt.at) }));
      const [at, nextAttemptAt] = [dateOf(stored.at), dateOf(stored.nextAttemptAt)];
      if (client) state.deliveries.restore(client, { ...stored, at, nextAttemptAt, attempts });
    }
  }

  // The checksums have proved that these are the records that this module wrote; only their times are still text.
  #all<T>(kind: string): T[] {
    return [...(this.#kinds.get(kind)?.values() ?? [])] as T[];
  }
}
