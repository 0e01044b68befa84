import type { Order, OrderHistoryEntry } from '../order.js';
import type { OrderState } from '../states.js';

/** What is measured of an order when it is read, by the clock of the store. */
type Measured = 'doubted' | 'doubtedForMs' | 'acceptedForMs' | 'expiresInMs' | 'dueInMs';

/** An order as it is stored: with the times from which the rest is measured, and with its history. */
export interface OrderRow extends Omit<Order, Measured> {
  readonly doubtedAt: Date | undefined;
  readonly acceptedAt: Date | undefined;
  readonly expiresAt: Date | undefined;
  readonly history: readonly OrderHistoryEntry[];
}

/** ms from one time to another. */
const between = (from: Date, to: Date): number => to.getTime() - from.getTime();

/** A stored order as callers see it at a time. */
export function orderOf(
  { doubtedAt, acceptedAt, expiresAt, history: _, ...order }: OrderRow,
  at: Date,
): Order {
  return {
    ...order,
    doubted: doubtedAt !== undefined,
    doubtedForMs: doubtedAt ? Math.max(0, between(doubtedAt, at)) : 0,
    acceptedForMs: acceptedAt ? Math.max(0, between(acceptedAt, at)) : 0,
    expiresInMs: expiresAt && between(at, expiresAt),
    dueInMs: order.dueAt && between(at, order.dueAt),
  };
}

/** A row of any of the databases, by the names of its columns. A number may be text, and text may be bytes. */
export type SqlRow = Readonly<Record<string, unknown>>;

const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === null || value === undefined ? undefined : read(value);

const text = (value: unknown) => optional(value, String);
const number = (value: unknown) => optional(value, Number);
const flag = (value: unknown) => Number(value) !== 0;
const json = (value: unknown) => optional(value, (stored) => JSON.parse(String(stored)));

/** A time as a date. */
export const dateOf = (value: unknown): Date => new Date(Number(value));

const date = (value: unknown) => optional(value, dateOf);

/** A row as an order. Its columns were written by the same store. */
function rowOf(row: SqlRow): OrderRow {
  return {
    id: String(row['id']),
    product: String(row['product']) as Order['product'],
    params: json(row['params']),
    customer: text(row['customer']),
    run: text(row['run']),
    state: String(row['state']) as OrderState,
    attempt: Number(row['attempt']),
    reference: text(row['reference']),
    amount: number(row['amount']),
    amountCharged: number(row['amount_charged']),
    commission: number(row['commission']),
    settledAt: date(row['settled_at']),
    refunded: flag(row['refunded']),
    awaitingRefund: flag(row['awaiting_refund']),
    contradicted: flag(row['contradicted']),
    token: text(row['token']),
    lastError: json(row['last_error']),
    tries: Number(row['tries']),
    createdAt: dateOf(row['created_at']),
    updatedAt: dateOf(row['updated_at']),
    dueAt: date(row['due_at']),
    doubtedAt: date(row['doubted_at']),
    acceptedAt: date(row['accepted_at']),
    expiresAt: date(row['expires_at']),
    history: [],
  };
}

/** A row as an order. One that was just written was read then. */
export const orderOfSql = (row: SqlRow): Order =>
  orderOf(rowOf(row), dateOf(row['read_at'] ?? row['updated_at']));

/** The column `history` as lines. */
export function historyOf(column: unknown): OrderHistoryEntry[] {
  const lines: readonly OrderHistoryEntry[] = JSON.parse(`[${String(column)}]`);
  return lines.map(({ at, event, from, to, attempt, detail }) => ({
    at: dateOf(at),
    event,
    from,
    to,
    attempt,
    detail,
  }));
}
