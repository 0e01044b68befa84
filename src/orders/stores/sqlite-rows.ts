import type { OrderChange, OrderQuery } from '../store.js';
import type { SqliteValue } from './sqlite-schema.js';

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
