import type { OrderHistoryEntry, StoredOrder } from '../order.js';
import type { OrderState } from '../states.js';

/**
 * A row of any of the databases, by the names of its columns. A time is in ms since the epoch or as a database writes it in JSON; what is
 * stored as JSON is text or already parsed; a flag is a number or a boolean.
 */
export type Row = Readonly<Record<string, unknown>>;

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === null || value === undefined ? undefined : read(value);
}

const text = (value: unknown) => optional(value, String);
const number = (value: unknown) => optional(value, Number);

/** A time as a date. A driver may return a number as text. */
export function dateOf(value: unknown): Date {
  const ms = Number(value);
  return new Date(Number.isNaN(ms) ? String(value) : ms);
}

/** What is stored as JSON, which a driver may return as text. */
export const parsed = (value: unknown) =>
  optional(value, (given) => (typeof given === 'string' ? JSON.parse(given) : given));

/** ms from a time, if there is one, to another. */
const msBetween = (from: unknown, to: unknown): number | undefined =>
  optional(from, (start) => optional(to, (end) => dateOf(end).getTime() - dateOf(start).getTime()));

/**
 * A row as an order. Its columns were written by the same store.
 *
 * @param readAt - the time at which it was read, by the clock of the database.
 */
export function orderOf(row: Row, readAt: unknown): StoredOrder {
  return {
    id: String(row['id']),
    product: row['product'] as StoredOrder['product'],
    params: parsed(row['params']),
    customer: text(row['customer']),
    run: text(row['run']),
    state: row['state'] as OrderState,
    attempt: Number(row['attempt']),
    doubted: row['doubted_at'] !== null,
    doubtedForMs: Math.max(0, msBetween(row['doubted_at'], readAt) ?? 0),
    acceptedForMs: Math.max(0, msBetween(row['accepted_at'], readAt) ?? 0),
    expiresInMs: msBetween(readAt, row['expires_at']),
    reference: text(row['reference']),
    amount: number(row['amount']),
    amountCharged: number(row['amount_charged']),
    commission: number(row['commission']),
    settledAt: optional(row['settled_at'], dateOf),
    refunded: Boolean(row['refunded']),
    awaitingRefund: Boolean(row['awaiting_refund']),
    contradicted: Boolean(row['contradicted']),
    token: text(row['token']),
    lastError: parsed(row['last_error']),
    tries: Number(row['tries']),
    createdAt: dateOf(row['created_at']),
    updatedAt: dateOf(row['updated_at']),
    dueAt: optional(row['due_at'], dateOf),
  };
}

/** A row of the history. */
export function entryOf(row: Row): OrderHistoryEntry {
  return {
    at: dateOf(row['at']),
    event: row['event'] as OrderHistoryEntry['event'],
    from: optional(row['from_state'], (state) => state as OrderState),
    to: row['to_state'] as OrderState,
    attempt: Number(row['attempt']),
    detail: parsed(row['detail']),
  };
}
