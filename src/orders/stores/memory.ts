import * as z from 'zod/mini';
import { contentOf } from '../../contract/purchase-item.js';
import { fn } from '../../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { NewOrder, OrderHistoryEntry, StoredOrder } from '../order.js';
import { isFinal, noOrders, type OrderState } from '../states.js';
import {
  DuplicateReferenceError,
  type KeptEvent,
  type OrderChange,
  type OrderNote,
  type OrderStore,
  type PlacedOrder,
} from '../store.js';
import { freshOrder } from './fresh-order.js';
import { isIn, type Kept, matches, newestFirst, turnOf } from './memory-query.js';
import { oneAtATime } from './one-at-a-time.js';
import { startOfDay } from './start-of-day.js';

/** Options for `memoryOrderStore`. */
export interface MemoryOrderStoreOptions {
  /** The clock, in ms since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionsSchema = optionsOf({
  now: z.optional(fn<() => number>(' that returns the current time in ms')),
} satisfies OptionShape<MemoryOrderStoreOptions>);

/** The client that hooks get from `memoryOrderStore`: there is nothing to write to. */
export type MemoryOrderClient = Readonly<Record<string, never>>;

interface Row {
  readonly order: Kept;
  readonly doubtedAt: number | undefined;
  readonly acceptedAt: number | undefined;
  readonly expiresAt: number | undefined;
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
  let rows = new Map<string, Row>();
  let kept = new Map<string, KeptEvent & { at: number }>();
  const client: MemoryOrderClient = Object.freeze({});
  const inTurn = oneAtATime();

  /** One transaction after the other; what is given a client is inside of one. */
  const alone = <T>(inside: MemoryOrderClient | undefined, work: () => T | Promise<T>): Promise<T> =>
    inside ? Promise.resolve().then(work) : inTurn(work);

  const all = () => [...rows.values()];
  const isDue = ({ dueAt }: Kept) => dueAt !== undefined && dueAt.getTime() <= now();
  const byReference = (reference: string) => all().find(({ order }) => order.reference === reference);
  const canClaim = ({ order }: Row, at: number) =>
    order.reference === undefined &&
    order.createdAt.getTime() <= at &&
    (order.state === 'buying' || order.state === 'unknown' || (order.state === 'review' && order.doubted));

  /** A copy: what a caller does with it changes nothing that is stored. */
  const view = ({ order, doubtedAt, acceptedAt, expiresAt }: Row): StoredOrder => ({
    ...structuredClone(order),
    doubtedForMs: doubtedAt === undefined ? 0 : now() - doubtedAt,
    acceptedForMs: acceptedAt === undefined ? 0 : now() - acceptedAt,
    expiresInMs: expiresAt === undefined ? undefined : expiresAt - now(),
  });

  function change(row: Row, to: OrderChange, note: OrderNote | undefined): StoredOrder {
    const at = new Date(now());
    const { dueInMs, doubted, accepted, settled, ...fields } = structuredClone(to);
    const { order } = row;
    const next: Kept = {
      ...order,
      ...fields,
      doubted: order.doubted || doubted === true,
      settledAt: order.settledAt ?? (settled ? at : undefined),
      updatedAt: at,
      ...('dueInMs' in to && { dueAt: dueInMs === undefined ? undefined : new Date(at.getTime() + dueInMs) }),
    };
    const { state, attempt } = next;
    const changed: Row = {
      ...row,
      order: next,
      doubtedAt: row.doubtedAt ?? (doubted ? at.getTime() : undefined),
      acceptedAt: row.acceptedAt ?? (accepted ? at.getTime() : undefined),
      history: note
        ? [
            ...row.history,
            {
              at,
              event: note.event,
              from: order.state,
              to: state,
              attempt,
              detail: structuredClone(note.detail),
            },
          ]
        : row.history,
    };
    rows.set(order.id, changed);
    return view(changed);
  }

  function placedBefore(given: NewOrder, withinMs: number): Row | undefined {
    const content = contentOf(given);
    return all().find(
      ({ order }) =>
        order.id !== given.id &&
        order.createdAt.getTime() >= now() - withinMs &&
        order.state !== 'refused' &&
        order.state !== 'failed' &&
        (given.customer === undefined || order.customer === given.customer) &&
        contentOf(order) === content,
    );
  }

  function insertOne(given: NewOrder, duplicateWithinMs?: number): PlacedOrder {
    const existing = rows.get(given.id);
    if (existing) return { order: view(existing), inserted: false };
    const repeated = duplicateWithinMs === undefined ? undefined : placedBefore(given, duplicateWithinMs);
    if (repeated) return { order: view(repeated), inserted: false, duplicate: true };
    const at = new Date(now());
    const { id, expireAfterMs } = given;
    const order: Kept = freshOrder(structuredClone(given), at);
    const placed = {
      at,
      event: 'place',
      from: undefined,
      to: 'placed',
      attempt: 0,
      detail: undefined,
    } as const;
    const expiresAt = expireAfterMs === undefined ? undefined : at.getTime() + expireAfterMs;
    const row: Row = { order, doubtedAt: undefined, acceptedAt: undefined, expiresAt, history: [placed] };
    rows.set(id, row);
    return { order: view(row), inserted: true };
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
    insert: (order, { client: inside, duplicateWithinMs } = {}) =>
      alone(inside, () => insertOne(order, duplicateWithinMs)),
    insertMany: (many, inside) => alone(inside, () => many.map((order) => insertOne(order))),
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
    update: (guard, to, note, inside) =>
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
    due: (limit, { states, run, expired } = {}) =>
      alone(undefined, () =>
        all()
          .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => !expired || expiresAt <= now())
          .map(({ order }) => order)
          .filter((order) => isDue(order) && (run === undefined || order.run === run))
          .filter(({ state }) => states === undefined || states.includes(state))
          .sort((a, b) => turnOf(a.state) - turnOf(b.state) || Number(a.dueAt) - Number(b.dueAt))
          .slice(0, limit)
          .map(({ id, state }) => ({ id, state })),
      ),
    count: (state) => alone(undefined, () => all().filter(({ order }) => order.state === state).length),
    list: ({ limit, after, ...query }) =>
      alone(undefined, () =>
        all()
          .filter(({ order }) => matches(order, query))
          .sort((a, b) => newestFirst(a.order, b.order))
          .filter(({ order }) => after === undefined || newestFirst(after, order) < 0)
          .slice(0, limit)
          .map(view),
      ),
    history: (id) => alone(undefined, () => structuredClone([...(rows.get(id)?.history ?? [])])),
    stats: ({ since, until, timeZone } = {}) =>
      alone(undefined, () => {
        const orders = all().map(({ order }) => order);
        const from = since ?? (until ? undefined : new Date(startOfDay(now(), timeZone)));
        const count = noOrders();
        const oldest: Partial<Record<OrderState, Date>> = {};
        for (const { state, createdAt } of orders) {
          count[state]++;
          const before = oldest[state];
          if (!isFinal(state) && (!before || createdAt < before)) oldest[state] = createdAt;
        }
        const spent = orders
          .filter(({ state }) => state !== 'failed' && state !== 'refused')
          .filter(({ createdAt }) => isIn(createdAt, { since: from, until }))
          .reduce((sum, { amount = 0 }) => sum + amount, 0);
        return {
          count,
          oldest,
          awaitingRefund: orders.filter(({ awaitingRefund }) => awaitingRefund).length,
          contradicted: orders.filter(({ contradicted }) => contradicted).length,
          spent,
          keptEvents: kept.size,
        };
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
            ({ event, orderId }) => orderId !== undefined || !all().some((row) => canClaim(row, event.at)),
          )
          .sort((a, b) => Number(a.orderId === undefined) - Number(b.orderId === undefined))
          .slice(0, limit)
          .map(({ event, orderId }) => ({ reference: event.reference, orderId })),
      ),
  };
}
