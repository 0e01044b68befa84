import type { OrderHistoryEntry, StoredOrder } from '../order.js';
import { isFinal, noOrders, type OrderState } from '../states.js';
import {
  DuplicateReferenceError,
  type KeptEvent,
  type OrderChange,
  type OrderGuard,
  type OrderNote,
  type OrderQuery,
  type OrderStore,
} from '../store.js';
import { oneAtATime } from './one-at-a-time.js';

/** Options for `memoryOrderStore`. */
export interface MemoryOrderStoreOptions {
  /** The clock, in ms since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The client that hooks get from `memoryOrderStore`: there is nothing to write to. */
export type MemoryOrderClient = Readonly<Record<string, never>>;

interface Row {
  order: Omit<StoredOrder, 'doubtedForMs'>;
  doubtedAt: number | undefined;
  history: OrderHistoryEntry[];
}

/**
 * Orders in the memory of this process, for tests: nothing survives it. Transactions run one after another, and a rejected one is undone.
 *
 * @example
 * ```ts
 * const orders = createOrders({ billpay, store: memoryOrderStore() });
 * ```
 */
export function memoryOrderStore({
  now = Date.now,
}: MemoryOrderStoreOptions = {}): OrderStore<MemoryOrderClient> {
  let rows = new Map<string, Row>();
  let kept = new Map<string, KeptEvent & { at: number }>();
  const client: MemoryOrderClient = Object.freeze({});
  const inTurn = oneAtATime();

  /** One transaction after the other; what is given a client is inside of one. */
  const alone = <T>(inside: MemoryOrderClient | undefined, work: () => T | Promise<T>): Promise<T> =>
    inside ? Promise.resolve().then(work) : inTurn(work);

  const view = (row: Row): StoredOrder => ({
    ...row.order,
    doubtedForMs: row.doubtedAt === undefined ? 0 : now() - row.doubtedAt,
  });
  const isDue = ({ dueAt }: Row['order']) => dueAt !== undefined && dueAt.getTime() <= now();
  const isLater = ({ state }: Row['order']) => Number(state === 'placed' || state === 'held');
  const byReference = (reference: string) =>
    [...rows.values()].find(({ order }) => order.reference === reference);
  const canClaim = ({ order }: Row, at: number) =>
    order.reference === undefined &&
    order.createdAt.getTime() <= at &&
    (order.state === 'buying' || order.state === 'unknown' || (order.state === 'review' && order.doubted));

  function change(row: Row, to: OrderChange, note: OrderNote | undefined): StoredOrder {
    const at = new Date(now());
    const { dueInMs, ...fields } = to;
    const { order } = row;
    const next: Row['order'] = {
      ...order,
      ...fields,
      updatedAt: at,
      ...('dueInMs' in to && { dueAt: dueInMs === undefined ? undefined : new Date(at.getTime() + dueInMs) }),
    };
    const history = note
      ? [
          ...row.history,
          {
            at,
            event: note.event,
            from: order.state,
            to: next.state,
            attempt: next.attempt,
            detail: note.detail,
          },
        ]
      : row.history;
    const doubtedAt = row.doubtedAt ?? (to.doubted ? at.getTime() : undefined);
    const changed = { order: next, doubtedAt, history };
    rows.set(order.id, changed);
    return view(changed);
  }

  return {
    transaction: (work) =>
      alone(undefined, async () => {
        const before = { rows: new Map(rows), kept: new Map(kept) };
        try {
          return await work(client);
        } catch (error) {
          ({ rows, kept } = before);
          throw error;
        }
      }),
    insert: (input, inside) =>
      alone(inside, () => {
        const existing = rows.get(input.id);
        if (existing) return { order: view(existing), inserted: false };
        const at = new Date(now());
        const { id, product, params } = structuredClone(input);
        const order: Row['order'] = {
          id,
          product,
          params,
          state: 'placed',
          attempt: 0,
          doubted: false,
          reference: undefined,
          amount: undefined,
          awaitingRefund: false,
          token: undefined,
          lastError: undefined,
          tries: 0,
          createdAt: at,
          updatedAt: at,
          dueAt: at,
        };
        const placed = {
          at,
          event: 'place',
          from: undefined,
          to: 'placed',
          attempt: 0,
          detail: undefined,
        } as const;
        const row: Row = { order, doubtedAt: undefined, history: [placed] };
        rows.set(id, row);
        return { order: view(row), inserted: true };
      }),
    find: (id, inside) =>
      alone(inside, () => {
        const row = rows.get(id);
        return row && view(row);
      }),
    findByReference: (reference, inside) =>
      alone(inside, () => {
        const row = byReference(reference);
        return row && view(row);
      }),
    update: (guard: OrderGuard, to, note, inside) =>
      alone(inside, () => {
        const row = rows.get(guard.id);
        if (!row || row.order.state !== guard.state || row.order.attempt !== guard.attempt) return undefined;
        if (guard.due && !isDue(row.order)) return undefined;
        if (to.reference !== undefined) {
          const other = byReference(to.reference);
          if (other && other !== row) throw new DuplicateReferenceError(to.reference);
        }
        return change(row, to, note);
      }),
    due: (limit) =>
      alone(undefined, () =>
        [...rows.values()]
          .filter(({ order }) => isDue(order))
          .sort(({ order: a }, { order: b }) => isLater(a) - isLater(b) || Number(a.dueAt) - Number(b.dueAt))
          .slice(0, limit)
          .map(({ order }) => order.id),
      ),
    list: ({ state, since, limit, after }: OrderQuery) =>
      alone(undefined, () =>
        [...rows.values()]
          .map(view)
          .filter((order) => state === undefined || order.state === state)
          .filter((order) => since === undefined || order.createdAt >= since)
          .sort(newestFirst)
          .filter((order) => after === undefined || newestFirst(after, order) < 0)
          .slice(0, limit),
      ),
    history: (id) => alone(undefined, () => rows.get(id)?.history ?? []),
    stats: () =>
      alone(undefined, () => {
        const orders = [...rows.values()].map(({ order }) => order);
        const count = noOrders();
        const oldest: Partial<Record<OrderState, Date>> = {};
        const midnight = new Date(now()).setUTCHours(0, 0, 0, 0);
        let spentToday = 0;
        let awaitingRefund = 0;
        for (const { state, createdAt, amount = 0, awaitingRefund: awaits } of orders) {
          count[state]++;
          const before = oldest[state];
          if (!isFinal(state) && (!before || createdAt < before)) oldest[state] = createdAt;
          if (awaits) awaitingRefund++;
          if (createdAt.getTime() >= midnight && state !== 'failed') spentToday += amount;
        }
        return { count, oldest, awaitingRefund, spentToday, keptEvents: kept.size };
      }),
    keepEvent: (event) =>
      alone(undefined, () => {
        if (!kept.has(event.reference)) kept.set(event.reference, { ...event, at: now() });
      }),
    keptEvent: (reference) =>
      alone(undefined, () => {
        const found = kept.get(reference);
        return found && { reference, event: found.event };
      }),
    dropEvent: (reference) =>
      alone(undefined, () => {
        kept.delete(reference);
      }),
    settleableEvents: (limit, reference) =>
      alone(undefined, () =>
        [...kept.values()]
          .filter((event) => reference === undefined || event.reference === reference)
          .map((event) => ({ event, orderId: byReference(event.reference)?.order.id }))
          .filter(
            ({ event, orderId }) =>
              orderId !== undefined || ![...rows.values()].some((row) => canClaim(row, event.at)),
          )
          .slice(0, limit)
          .map(({ event, orderId }) => ({ reference: event.reference, orderId })),
      ),
  };
}

/** Newest first; of one moment, by id. */
function newestFirst(
  a: Pick<StoredOrder, 'id' | 'createdAt'>,
  b: Pick<StoredOrder, 'id' | 'createdAt'>,
): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
