import { isRecord } from '../../utils/is-record.js';
import type { OrderHistoryEntry, StoredOrder } from '../order.js';
import type { OrderState } from '../states.js';
import type { OrderChange, OrderQuery } from '../store.js';

/** A row as `pg` returns it. */
export type Row = Record<string, unknown>;

/** All columns of an order, and the time at which they are read by the clock of the database. */
export const columns = '*, clock_timestamp() AS read_at';

/** A text as PostgreSQL can store it: without NUL and without half a pair of surrogates. */
export const storable = (text: string): string => text.replace(/[\0\ud800-\udfff]/gu, '\ufffd');

/** A value as JSON that PostgreSQL can store; NULL for what is not there. */
export const json = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value, (_, part) => storablePart(part));

function storablePart(part: unknown): unknown {
  if (typeof part === 'string') return storable(part);
  if (!isRecord(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [storable(name), value]));
}

/** The SET list of an update. */
export function assignments(change: OrderChange, value: (of: unknown) => string): string[] {
  const set = ['updated_at = clock_timestamp()'];
  const plain = {
    state: 'state',
    attempt: 'attempt',
    reference: 'reference',
    amount: 'amount',
    amountCharged: 'amount_charged',
    commission: 'commission',
    refunded: 'refunded',
    contradicted: 'contradicted',
    awaitingRefund: 'awaiting_refund',
    token: 'token',
    tries: 'tries',
  } as const;
  for (const [name, column] of Object.entries(plain)) {
    const given = change[name as keyof typeof plain];
    if (given === undefined) continue;
    set.push(`${column} = ${value(typeof given === 'string' ? storable(given) : given)}`);
  }
  // These keep the time of the first.
  if (change.doubted) set.push('doubted_at = coalesce(doubted_at, clock_timestamp())');
  if (change.accepted) set.push('accepted_at = coalesce(accepted_at, clock_timestamp())');
  if (change.settled) set.push('settled_at = coalesce(settled_at, clock_timestamp())');
  if ('lastError' in change) set.push(`last_error = ${value(json(change.lastError))}::jsonb`);
  if ('dueInMs' in change) {
    set.push(
      change.dueInMs === undefined
        ? 'due_at = NULL'
        : `due_at = clock_timestamp() + ${value(`${change.dueInMs} ms`)}::interval`,
    );
  }
  return set;
}

/** The conditions of a query. */
export function conditions(query: Omit<OrderQuery, 'limit'>, value: (of: unknown) => string): string {
  const { state, run, recipient, reference, since, until, settled, after } = query;
  const all = [
    state !== undefined && `state = ${value(state)}`,
    run !== undefined && `run = ${value(run)}`,
    recipient !== undefined && `params ->> 'recipient' = ${value(storable(recipient))}`,
    reference !== undefined && `reference = ${value(storable(reference))}`,
    since !== undefined && `created_at >= ${value(since)}`,
    until !== undefined && `created_at < ${value(until)}`,
    settled !== undefined && 'settled_at IS NOT NULL',
    settled?.since !== undefined && `settled_at >= ${value(settled.since)}`,
    settled?.until !== undefined && `settled_at < ${value(settled.until)}`,
    after !== undefined && `(created_at, id) < (${value(after.createdAt)}, ${value(after.id)})`,
  ].filter((condition) => condition !== false);
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '';
}

const numeric = (value: unknown): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

const optional = <T>(value: unknown): T | undefined => (value === null ? undefined : (value as T));

/** ms from a time, if there is one, to another. */
const msBetween = (from: unknown, to: unknown): number | undefined =>
  from instanceof Date && to instanceof Date ? to.getTime() - from.getTime() : undefined;

/** A row as an order. The columns are those of the migrations, written by this store alone. */
export function orderOf(row: Row): StoredOrder {
  const readAt = row['read_at'];
  return {
    id: row['id'] as string,
    product: row['product'] as StoredOrder['product'],
    params: row['params'] as StoredOrder['params'],
    customer: optional(row['customer']),
    run: optional(row['run']),
    state: row['state'] as OrderState,
    attempt: row['attempt'] as number,
    doubted: row['doubted_at'] !== null,
    doubtedForMs: msBetween(row['doubted_at'], readAt) ?? 0,
    acceptedForMs: msBetween(row['accepted_at'], readAt) ?? 0,
    expiresInMs: msBetween(readAt, row['expires_at']),
    reference: optional(row['reference']),
    amount: numeric(row['amount']),
    amountCharged: numeric(row['amount_charged']),
    commission: numeric(row['commission']),
    settledAt: optional(row['settled_at']),
    refunded: row['refunded'] as boolean,
    awaitingRefund: row['awaiting_refund'] as boolean,
    contradicted: row['contradicted'] as boolean,
    token: optional(row['token']),
    lastError: optional(row['last_error']),
    tries: row['tries'] as number,
    createdAt: row['created_at'] as Date,
    updatedAt: row['updated_at'] as Date,
    dueAt: optional(row['due_at']),
  };
}

/** A row of the history. */
export function entryOf(row: Row): OrderHistoryEntry {
  return {
    at: row['at'] as Date,
    event: row['event'] as OrderHistoryEntry['event'],
    from: optional(row['from_state']),
    to: row['to_state'] as OrderState,
    attempt: row['attempt'] as number,
    detail: optional(row['detail']),
  };
}
