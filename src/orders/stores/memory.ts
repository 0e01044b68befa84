import { contentOf } from '../../contract/purchase-item.js';
import { fn, type OptionShape, optional, optionsOf, parseOptions } from '../../validation/options.js';
import {
  type MeasuredOrder,
  measuredAt,
  type NewOrder,
  type Order,
  type OrderHistoryEntry,
  type OrderTimes,
} from '../order.js';
import { isFinal, type Lane, lanes, noOrders, type OrderState } from '../states.js';
import {
  DuplicateReferenceError,
  type OrderChange,
  type OrderNote,
  type OrderQuery,
  type OrderStore,
  type PlacedOrder,
  type TimeRange,
} from '../store.js';
import { startOfDay } from '../time-zone.js';
import { oneAtATime } from './one-at-a-time.js';

/** Options for `memoryOrderStore`. */
export interface MemoryOrderStoreOptions {
  /** The clock, in ms since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionsSchema = optionsOf({
  now: optional(fn<() => number>(' that returns the current time in ms')),
} satisfies OptionShape<MemoryOrderStoreOptions>);

/** The client that hooks get from `memoryOrderStore`: there is nothing to write to. */
export interface MemoryOrderClient {
  readonly [name: string]: never;
}

/** An order as it is stored. Rows are never changed, only replaced. */
interface OrderRow extends Omit<Order, keyof MeasuredOrder>, OrderTimes {
  readonly history: readonly OrderHistoryEntry[];
}

/**
 * Orders in the memory of this process, for tests: nothing survives it. Transactions run one after another, and a rejected one is undone.
 *
 * @example
 * ```ts
 * const orders = createOrders({ billpay, store: memoryOrderStore() });
 * ```
 */
export function memoryOrderStore(options: MemoryOrderStoreOptions = {}): OrderStore<MemoryOrderClient> {
  const { now = Date.now } = parseOptions(optionsSchema, options, { owner: 'memoryOrderStore' });
  let rows = new Map<string, OrderRow>();
  const client: MemoryOrderClient = Object.freeze({});
  const inTurn = oneAtATime();

  /** One transaction after the other; what is given a client is inside of one. */
  const alone = <T>(inside: MemoryOrderClient | undefined, work: () => T | Promise<T>): Promise<T> =>
    inside ? Promise.resolve().then(work) : inTurn(work);

  async function orNothing<T>(work: () => T | Promise<T>): Promise<T> {
    const before = new Map(rows);
    try {
      return await work();
    } catch (error) {
      rows = before;
      throw error;
    }
  }

  const all = () => [...rows.values()];
  /** A copy: what a caller does with it changes nothing that is stored. */
  const view = ({ history: _, unknownSince, expiresAt, ...order }: OrderRow): Order =>
    structuredClone({ ...order, ...measuredAt(new Date(now()), { ...order, unknownSince, expiresAt }) });
  const later = (ms: number | undefined) => (ms === undefined ? undefined : new Date(now() + ms));
  const byReference = (reference: string) => all().find((row) => row.reference === reference);

  function change(row: OrderRow, to: OrderChange, note: OrderNote | undefined): Order {
    const at = new Date(now());
    const { dueInMs, mayHaveCharged, accepted, settled, ...fields } = structuredClone(to);
    const once = (is: true | undefined, before: Date | undefined) => before ?? (is && at);
    const next: OrderRow = {
      ...row,
      ...fields,
      unknownSince: once(mayHaveCharged, row.unknownSince),
      acceptedAt: once(accepted, row.acceptedAt),
      settledAt: once(settled, row.settledAt),
      updatedAt: at,
      ...('dueInMs' in to && { dueAt: later(dueInMs) }),
    };
    const { state, attempt } = next;
    const line = note && {
      at,
      event: note.event,
      from: row.state,
      to: state,
      attempt,
      detail: structuredClone(note.detail),
    };
    const changed = line ? { ...next, history: [...row.history, line] } : next;
    rows.set(row.id, changed);
    return view(changed);
  }

  function placedBefore(given: NewOrder, withinMs: number): OrderRow | undefined {
    const content = contentOf(given);
    return all().find(
      (row) =>
        row.createdAt.getTime() >= now() - withinMs &&
        row.state !== 'refused' &&
        row.state !== 'failed' &&
        (given.customer === undefined || row.customer === given.customer) &&
        contentOf(row) === content,
    );
  }

  function insertOne(given: NewOrder, duplicateWithinMs?: number): PlacedOrder {
    const existing = rows.get(given.id);
    if (existing) return { order: view(existing), inserted: false };
    const repeated = duplicateWithinMs === undefined ? undefined : placedBefore(given, duplicateWithinMs);
    if (repeated) return { order: view(repeated), inserted: false, duplicate: true };
    const row = rowOf(structuredClone(given), new Date(now()));
    rows.set(row.id, row);
    return { order: view(row), inserted: true };
  }

  const inLane = (lane: Lane) =>
    all()
      .filter(({ state, dueAt }) => dueAt !== undefined && lanes[lane].some((one) => one === state))
      .sort((a, b) => Number(a.dueAt) - Number(b.dueAt));

  return {
    transaction: (work) => alone(undefined, () => orNothing(() => work(client))),
    insert: (order, { client: inside, duplicateWithinMs } = {}) =>
      alone(inside, () => insertOne(order, duplicateWithinMs)),
    insertMany: (many, inside) => alone(inside, () => orNothing(() => many.map((order) => insertOne(order)))),
    find: (id, inside) =>
      alone(inside, () => {
        const row = rows.get(id);
        return row && view(row);
      }),
    findMany: (ids) => alone(undefined, () => ids.flatMap((id) => rows.get(id) ?? []).map(view)),
    findByReference: (reference, inside) =>
      alone(inside, () => {
        const row = byReference(reference);
        return row && view(row);
      }),
    update: (guard, to, note, inside) =>
      alone(inside, () => {
        const row = rows.get(guard.id);
        if (!row || row.state !== guard.state || row.attempt !== guard.attempt) return undefined;
        if (guard.due && !(row.dueAt && row.dueAt.getTime() <= now())) return undefined;
        if (guard.unexpired && row.expiresAt && row.expiresAt.getTime() <= now()) return undefined;
        if (to.reference !== undefined) {
          const other = byReference(to.reference);
          if (other && other !== row) throw new DuplicateReferenceError(to.reference);
        }
        return change(row, to, note);
      }),
    due: (lane, limit) =>
      alone(undefined, () =>
        inLane(lane)
          .filter(({ dueAt }) => Number(dueAt) <= now())
          .slice(0, limit)
          .map(({ id }) => id),
      ),
    nextDue: (lane) =>
      alone(undefined, () => {
        const [first] = inLane(lane);
        return first && Number(first.dueAt) - now();
      }),
    wake: (state) =>
      alone(undefined, () => {
        const at = new Date(now());
        for (const row of all()) {
          if (row.state === state && row.dueAt && row.dueAt > at)
            rows.set(row.id, { ...row, dueAt: at, updatedAt: at });
        }
      }),
    count: (state) => alone(undefined, () => all().filter((row) => row.state === state).length),
    list: ({ limit, after, ...query }) =>
      alone(undefined, () =>
        all()
          .filter((row) => matches(row, query))
          .sort(newestFirst)
          .filter((row) => after === undefined || newestFirst(after, row) < 0)
          .slice(0, limit)
          .map(view),
      ),
    history: (id) => alone(undefined, () => structuredClone([...(rows.get(id)?.history ?? [])])),
    stats: ({ run, since, until, timeZone } = {}) =>
      alone(undefined, () => {
        const counted = all().filter((row) => matches(row, { run }));
        const today = () => new Date(startOfDay(now(), timeZone));
        const from = since ?? (until || run !== undefined ? undefined : today());
        const count = noOrders();
        const oldest: Partial<Record<OrderState, Date>> = {};
        for (const { state, createdAt } of counted) {
          count[state]++;
          const before = oldest[state];
          if (!isFinal(state) && (!before || createdAt < before)) oldest[state] = createdAt;
        }
        const spent = counted
          .filter(({ state }) => state !== 'failed' && state !== 'refused')
          .filter(({ createdAt }) => isIn(createdAt, { since: from, until }))
          .reduce((sum, { amount = 0 }) => sum + amount, 0);
        return {
          count,
          oldest,
          awaitingRefund: counted.filter(({ awaitingRefund }) => awaitingRefund).length,
          contradicted: counted.filter(({ contradicted }) => contradicted).length,
          spent,
        };
      }),
    awaitsReference: (before) =>
      alone(undefined, () =>
        all().some(
          ({ reference, state, unknownSince, createdAt }) =>
            reference === undefined &&
            (before === undefined || createdAt < before) &&
            (state === 'buying' || state === 'unknown' || (state === 'review' && unknownSince !== undefined)),
        ),
      ),
  };
}

/** An order as it is right after it was placed: due at once. */
const rowOf = ({ expireAfterMs, ...given }: NewOrder, at: Date): OrderRow => ({
  customer: undefined,
  run: undefined,
  ...given,
  state: 'placed',
  attempt: 0,
  reference: undefined,
  amount: undefined,
  amountCharged: undefined,
  commission: undefined,
  settledAt: undefined,
  refunded: false,
  awaitingRefund: false,
  contradicted: false,
  token: undefined,
  lastError: undefined,
  tries: 0,
  createdAt: at,
  updatedAt: at,
  dueAt: at,
  unknownSince: undefined,
  acceptedAt: undefined,
  expiresAt: expireAfterMs === undefined ? undefined : new Date(at.getTime() + expireAfterMs),
  history: [{ at, event: 'place', from: undefined, to: 'placed', attempt: 0, detail: undefined }],
});

const isIn = (at: Date | undefined, { since, until }: TimeRange): boolean =>
  at !== undefined && (since === undefined || at >= since) && (until === undefined || at < until);

function matches(row: OrderRow, query: Omit<OrderQuery, 'limit' | 'after'>): boolean {
  const { state, run, recipient, reference, settled } = query;
  return (
    (state === undefined || row.state === state) &&
    (run === undefined || row.run === run) &&
    (recipient === undefined || row.params.recipient === recipient) &&
    (reference === undefined || row.reference === reference) &&
    (settled === undefined || isIn(row.settledAt, settled)) &&
    isIn(row.createdAt, query)
  );
}

/** Newest first; of one moment, by id. */
const newestFirst = (a: Pick<Order, 'id' | 'createdAt'>, b: Pick<Order, 'id' | 'createdAt'>): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
