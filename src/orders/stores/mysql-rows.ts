import type { OrderChange, OrderQuery } from '../store.js';
import { keyBytes, nowMs } from './mysql-schema.js';

/** A value of a statement. */
export type MysqlValue = string | number | null;

const text = (column: string) => `CONVERT(${column} USING utf8mb4) AS ${column}`;

/** The columns of an order as `orderOf` reads them: what is compared byte by byte is converted to text. */
export const columns = `${['id', 'reference', 'customer', 'run'].map(text).join(', ')}, product, params, state, attempt, doubted_at,
  accepted_at, expires_at, settled_at, amount, amount_charged, commission, awaiting_refund, refunded, contradicted, token, last_error,
  tries, created_at, updated_at, due_at, ${nowMs} AS now_at`;

/** Text that is a key. The database may cut what is too long without an error, and two orders must never become one. */
export function keyText(value: string): string {
  if (new TextEncoder().encode(value).length > keyBytes)
    throw new Error(`a text of more than ${keyBytes} bytes cannot be a key in MySQL`);
  return value;
}

/** JSON text, or NULL for what is not there. */
export const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** The SET list of an update with its values. */
export function assignments(change: OrderChange): {
  readonly set: string;
  readonly values: readonly MysqlValue[];
} {
  // A row that is written with the same values would count as not changed.
  const set = ['changes = changes + 1', `updated_at = ${nowMs}`];
  const values: MysqlValue[] = [];
  const assign = (column: string, value: MysqlValue) => {
    set.push(`${column} = ?`);
    values.push(value);
  };
  if (change.state !== undefined) assign('state', change.state);
  if (change.attempt !== undefined) assign('attempt', change.attempt);
  if (change.reference !== undefined) assign('reference', keyText(change.reference));
  if (change.amount !== undefined) assign('amount', change.amount);
  if (change.amountCharged !== undefined) assign('amount_charged', change.amountCharged);
  if (change.commission !== undefined) assign('commission', change.commission);
  if (change.awaitingRefund !== undefined) assign('awaiting_refund', Number(change.awaitingRefund));
  if (change.refunded !== undefined) assign('refunded', Number(change.refunded));
  if (change.contradicted) assign('contradicted', 1);
  if (change.token !== undefined) assign('token', change.token);
  if (change.tries !== undefined) assign('tries', change.tries);
  if ('lastError' in change) assign('last_error', json(change.lastError));
  // These keep the time of the first.
  if (change.doubted) set.push(`doubted_at = COALESCE(doubted_at, ${nowMs})`);
  if (change.accepted) set.push(`accepted_at = COALESCE(accepted_at, ${nowMs})`);
  if (change.settled) set.push(`settled_at = COALESCE(settled_at, ${nowMs})`);
  if ('dueInMs' in change) {
    if (change.dueInMs === undefined) set.push('due_at = NULL');
    else {
      set.push(`due_at = ${nowMs} + ?`);
      values.push(Math.round(change.dueInMs));
    }
  }
  return { set: set.join(', '), values };
}

/** The WHERE clause of a query with its values. */
export function conditions({
  state,
  run,
  recipient,
  reference,
  since,
  until,
  settled,
  after,
}: Omit<OrderQuery, 'limit'>): { readonly where: string; readonly values: readonly MysqlValue[] } {
  const all: string[] = [];
  const values: MysqlValue[] = [];
  const add = (condition: string, ...of: MysqlValue[]) => {
    all.push(condition);
    values.push(...of);
  };
  if (state !== undefined) add('state = ?', state);
  if (run !== undefined) add('run = ?', run);
  if (recipient !== undefined) add('recipient = ?', recipient);
  if (reference !== undefined) add('reference = ?', reference);
  if (since !== undefined) add('created_at >= ?', since.getTime());
  if (until !== undefined) add('created_at < ?', until.getTime());
  if (settled !== undefined) add('settled_at IS NOT NULL');
  if (settled?.since !== undefined) add('settled_at >= ?', settled.since.getTime());
  if (settled?.until !== undefined) add('settled_at < ?', settled.until.getTime());
  if (after !== undefined) {
    const at = after.createdAt.getTime();
    add('(created_at < ? OR (created_at = ? AND id < ?))', at, at, after.id);
  }
  return { where: all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '', values };
}
