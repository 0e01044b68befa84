import type { StoredDelivery } from '../deliveries/deliveries.js';
import type { SandboxState } from '../http/serve.js';
import type { ActivityDetail } from '../records/changes.js';
import type { LedgerEntry, PriceChange } from '../records/objects.js';
import type { Client, StoredClient } from '../service/clients.js';
import { scheduleSettlement } from '../service/purchase.js';
import type { Transaction } from '../service/transactions.js';

/**
 * One thing as it is after a change: its kind, its key within the kind, and its value. A later record replaces an earlier one of the same key;
 * ledger entries, which only grow in number, have no keys.
 */
export type StateRecord = readonly [kind: string, key: string | null, value: unknown];

/** A client itself, without its wallet and keys, which have records of their own; a handler cannot be kept. */
function clientRecord(state: SandboxState, clientId: string): StateRecord {
  const { wallet: _wallet, keys: _keys, subscription, ...rest } = state.clients.byId(clientId) ?? {};
  return [
    'client',
    clientId,
    { ...rest, subscription: subscription && { ...subscription, handler: undefined } },
  ];
}

/** What is kept of something that happened: nothing of requests and faults. */
function recordsOf(detail: ActivityDetail, state: SandboxState): readonly StateRecord[] {
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

export const changesOf = (details: readonly ActivityDetail[], state: SandboxState): readonly StateRecord[] =>
  details.flatMap((detail) => recordsOf(detail, state));

/** What each start may change, the seed and the clock, and these clients with their wallets. */
export function* beginningOf(
  state: SandboxState,
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

/** Records of everything there is. */
export function* snapshotOf(state: SandboxState, seed: string): Generator<StateRecord> {
  yield* beginningOf(state, seed, state.clients.list);
  for (const price of state.catalogue.changes) yield* recordsOf({ type: 'price', price }, state);
  for (const transaction of state.transactions.list) {
    yield ['transaction', transaction.reference, transaction];
  }
  for (const delivery of state.deliveries.list) yield ['delivery', delivery.id, delivery];
}

/** A manual clock that was this far ahead of the real one, in ms, was moved by hand. */
const aheadMs = 60_000;

/** The last record of each thing, by kind and key. */
export class StoredThings {
  /** How many records there were, replaced ones included. */
  records = 0;
  readonly #kinds = new Map<string, Map<string | number, unknown>>();
  /** One date for each text that JSON has left of one. */
  readonly #dates = new Map<string, Date>();

  /** Adds the records of one change. */
  add(change: readonly StateRecord[]): void {
    for (const [kind, key, value] of change) {
      this.records += 1;
      if (kind === 'reset') this.#kinds.clear();
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
    let latest = new Date(clock).toISOString();
    const note = (at: unknown) => {
      if (typeof at === 'string' && at > latest) latest = at;
    };
    for (const { acceptedAt, settledAt } of this.#all<Transaction>('transaction')) {
      note(acceptedAt);
      note(settledAt);
    }
    for (const { attempts } of this.#all<StoredDelivery>('delivery')) note(attempts.at(-1)?.at);
    return new Date(latest).getTime();
  }

  /**
   * Moves everything into a new state, and schedules what waits; what fell due meanwhile is due at once, in its order. Where the file's clock was
   * ahead, what waits is due as long from now as it was then.
   *
   * @returns the clients that were not stored, how many things were, and what became of what waits where its times were changed.
   */
  restoreTo(state: SandboxState) {
    const stored = this.#all<StoredClient>('client');
    const added = state.clients.list.filter(
      (one) => !stored.some(({ clientId }) => clientId === one.clientId),
    );
    const { clock } = this;
    const ahead = (clock ?? 0) - state.clock.now();
    const shift = ahead > aheadMs ? ahead : 0;
    const kept = [...this.#kinds.values()].reduce((sum, { size }) => sum + size, 0);
    const waiting = { settlements: 0, webhooks: 0 };
    for (const price of this.#all<PriceChange>('price')) state.catalogue.setPrice(price);
    for (const client of stored) state.clients.restore(client);
    for (const { clientId, entry } of this.#all<{ clientId: string; entry: LedgerEntry }>('ledger')) {
      state.clients.byId(clientId)?.wallet.restore(this.#withDates(entry, 0, 'at'));
    }
    for (const one of this.#all<Transaction>('transaction')) {
      const transaction = this.#withDates(
        this.#withDates(one, 0, 'acceptedAt', 'settledAt'),
        shift,
        'settlesAt',
      );
      state.transactions.add(transaction);
      state.clients.byId(transaction.clientId)?.keys.set(transaction.idempotency_key, transaction);
      if (transaction.status !== 'pending') continue;
      if (transaction.settlesAt) waiting.settlements += 1;
      scheduleSettlement(state, transaction);
    }
    for (const delivery of this.#all<StoredDelivery>('delivery')) {
      const client = state.clients.byId(delivery.clientId);
      for (const attempt of delivery.attempts) this.#withDates(attempt, 0, 'at');
      this.#withDates(this.#withDates(delivery, 0, 'at'), shift, 'nextAttemptAt');
      if (delivery.nextAttemptAt) waiting.webhooks += 1;
      if (client) state.deliveries.restore(client, delivery);
    }
    this.#kinds.clear();
    this.#dates.clear();
    const notice =
      clock === undefined || shift === 0
        ? undefined
        : `the clock of this state file was at ${new Date(clock).toISOString()}, which is ahead of the real time: ${waiting.settlements} settlements and ${waiting.webhooks} retries of webhooks that wait are due as long from now as they were due then`;
    return { added, kept, notice };
  }

  /** The same object, in which these times are dates again, `earlier` by so many ms. */
  #withDates<T extends object>(stored: T, earlier: number, ...names: readonly (keyof T)[]): T {
    for (const name of names) {
      const text: unknown = stored[name];
      if (typeof text !== 'string') continue;
      const date = this.#dates.get(text) ?? new Date(text);
      this.#dates.set(text, date);
      Object.assign(stored, { [name]: earlier === 0 ? date : new Date(date.getTime() - earlier) });
    }
    return stored;
  }

  // Only this module writes such records; their times are still text.
  #all<T>(kind: string): T[] {
    return [...(this.#kinds.get(kind)?.values() ?? [])] as T[];
  }
}
