import { isRecord } from '../../utils/is-record.js';
import type { OrderHistoryEntry, StoredOrder } from '../order.js';
import type { OrderState } from '../states.js';
import type { OrderChange } from '../store.js';

/** A row as `pg` gives it. */
export type Row = Record<string, unknown>;

/** How long an order has been in doubt, by the clock of the database. */
export const doubtedFor = `extract(epoch FROM clock_timestamp() - doubted_at) * 1000 AS doubted_for_ms`;
/** Selects whole orders. */
export const select = (orders: string) => `SELECT *, ${doubtedFor} FROM ${orders}`;
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
    awaitingRefund: 'awaiting_refund',
    token: 'token',
    tries: 'tries',
  } as const;
  for (const [name, column] of Object.entries(plain)) {
    const given = change[name as keyof typeof plain];
    if (given === undefined) continue;
    set.push(`${column} = ${value(typeof given === 'string' ? storable(given) : given)}`);
  }
  if (change.doubted) set.push('doubted_at = coalesce(doubted_at, clock_timestamp())');
  if ('lastError' in change) set.push(`last_error = ${value(json(change.lastError))}::jsonb`);
  if ('dueInMs' in change) {
    set.push(
      change.dueInMs === undefined
        ? 'due_at = NULL'
        : `due_at = clock_timestamp() + ${value(change.dueInMs)}::double precision * interval '1 millisecond'`,
    );
  }
  return set;
}

const optional = <T>(value: unknown): T | undefined => (value === null ? undefined : (value as T));

/** A row as an order. The columns are those of the migrations, written by this store alone. */
export function orderOf(row: Row): StoredOrder {
  return {
    id: row['id'] as string,
    product: row['product'] as StoredOrder['product'],
    params: row['params'] as StoredOrder['params'],
    state: row['state'] as OrderState,
    attempt: row['attempt'] as number,
    doubted: row['doubted_at'] !== null,
    doubtedForMs: Number(row['doubted_for_ms'] ?? 0),
    reference: optional(row['reference']),
    amount: row['amount'] === null ? undefined : Number(row['amount']),
    awaitingRefund: row['awaiting_refund'] as boolean,
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
