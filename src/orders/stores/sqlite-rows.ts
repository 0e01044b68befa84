import type { OrderHistoryEntry, StoredOrder } from '../order.js';
import type { OrderState } from '../states.js';
import type { OrderChange, OrderQuery } from '../store.js';
import type { SqliteValue } from './sqlite-schema.js';

/** A row as the two libraries return it. */
export type Row = Record<string, string | number | null>;

/** JSON text; NULL for what is not there. */
export const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

const flag = (value: boolean | undefined) => (value === undefined ? undefined : Number(value));
const dueAt = (dueInMs: number | undefined, at: number) => (dueInMs === undefined ? null : at + dueInMs);

/** The SET list of an update, with its values. */
export function assignments(change: OrderChange, at: number): { set: string[]; values: SqliteValue[] } {
  const columns: [string, SqliteValue | undefined][] = [
    ['updated_at', at],
    ['state', change.state],
    ['attempt', change.attempt],
    ['reference', change.reference],
    ['amount', change.amount],
    ['amount_charged', change.amountCharged],
    ['commission', change.commission],
    ['refunded', flag(change.refunded)],
    ['awaiting_refund', flag(change.awaitingRefund)],
    ['contradicted', flag(change.contradicted)],
    ['token', change.token],
    ['tries', change.tries],
    ['last_error', 'lastError' in change ? json(change.lastError) : undefined],
    ['due_at', 'dueInMs' in change ? dueAt(change.dueInMs, at) : undefined],
  ];
  const given = columns.filter((column): column is [string, SqliteValue] => column[1] !== undefined);
  // These keep the time of the first.
  const once = [
    ...(change.doubted ? ['doubted_at'] : []),
    ...(change.accepted ? ['accepted_at'] : []),
    ...(change.settled ? ['settled_at'] : []),
  ];
  return {
    set: [
      ...given.map(([column]) => `${column} = ?`),
      ...once.map((column) => `${column} = coalesce(${column}, ?)`),
    ],
    values: [...given.map(([, value]) => value), ...once.map(() => at)],
  };
}

/** The conditions of a query, with their values. */
export function conditions(query: Omit<OrderQuery, 'limit'>): { where: string; values: SqliteValue[] } {
  const { state, run, recipient, reference, since, until, settled, after } = query;
  const all: [string, ...(SqliteValue | undefined)[]][] = [
    ['state = ?', state],
    ['run = ?', run],
    [`json_extract(params, '$.recipient') = ?`, recipient],
    ['reference = ?', reference],
    ['created_at >= ?', since?.getTime()],
    ['created_at < ?', until?.getTime()],
    ['settled_at >= ?', settled?.since?.getTime()],
    ['settled_at < ?', settled?.until?.getTime()],
    ['settled_at IS NOT NULL', ...(settled ? [] : [undefined])],
    ['(created_at, id) < (?, ?)', after?.createdAt.getTime(), after?.id],
  ];
  const given = all.filter(([, ...values]) => values.every((value) => value !== undefined));
  return {
    where: given.length > 0 ? ` WHERE ${given.map(([condition]) => condition).join(' AND ')}` : '',
    values: given.flatMap(([, ...values]) => values).filter((value) => value !== undefined),
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const parsed = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : undefined);

/** A row as an order. The columns are those of the schema, written by this store alone. */
export function orderOf(row: Row, at: number): StoredOrder {
  const since = (column: string) => (row[column] === null ? 0 : at - Number(row[column]));
  const date = (column: string) => (row[column] === null ? undefined : new Date(Number(row[column])));
  const expiresAt = number(row['expires_at']);
  return {
    id: String(row['id']),
    product: row['product'] as StoredOrder['product'],
    params: parsed(row['params']),
    customer: text(row['customer']),
    run: text(row['run']),
    state: row['state'] as OrderState,
    attempt: Number(row['attempt']),
    doubted: row['doubted_at'] !== null,
    doubtedForMs: since('doubted_at'),
    acceptedForMs: since('accepted_at'),
    expiresInMs: expiresAt === undefined ? undefined : expiresAt - at,
    reference: text(row['reference']),
    amount: number(row['amount']),
    amountCharged: number(row['amount_charged']),
    commission: number(row['commission']),
    settledAt: date('settled_at'),
    refunded: row['refunded'] === 1,
    awaitingRefund: row['awaiting_refund'] === 1,
    contradicted: row['contradicted'] === 1,
    token: text(row['token']),
    lastError: parsed(row['last_error']),
    tries: Number(row['tries']),
    createdAt: new Date(Number(row['created_at'])),
    updatedAt: new Date(Number(row['updated_at'])),
    dueAt: date('due_at'),
  };
}

/** A row of the history. */
export const entryOf = (row: Row): OrderHistoryEntry => ({
  at: new Date(Number(row['at'])),
  event: row['event'] as OrderHistoryEntry['event'],
  from: text(row['from_state']) as OrderState | undefined,
  to: row['to_state'] as OrderState,
  attempt: Number(row['attempt']),
  detail: parsed(row['detail']),
});
