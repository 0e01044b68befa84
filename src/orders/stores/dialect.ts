import type { NewOrder } from '../order.js';
import type { OrderChange, OrderGuard, OrderNote, OrderQuery } from '../store.js';

/** A value of a statement. `Extra` is what a driver takes besides. */
export type SqlValue<Extra = never> = string | number | null | Extra;

/** Adds a value to a statement and returns its placeholder. Statements are written from left to right, because placeholders may be counted. */
export type AddValue<Extra> = (value: SqlValue<Extra>) => string;

/** How a database writes what the statements of orders need. */
export interface Dialect<Extra = never> {
  /** The placeholder of the n-th value, 1 for the first. */
  mark(n: number): string;
  /** The time now, by the clock that counts. */
  now(value: AddValue<Extra>): string;
  /** The same for the WHERE clause of a scan, which an index must serve. */
  scanNow(value: AddValue<Extra>): string;
  /** The time in so many ms. */
  later(ms: number, value: AddValue<Extra>): string;
  /** A time of the caller's. */
  time(at: Date): SqlValue<Extra>;
  /** A flag. */
  flag(is: boolean): SqlValue<Extra>;
  /** The flag `true` in a statement. */
  readonly yes: string;
  /** A text as the database can store it. */
  text(given: string): string;
  /** A text that is a key. */
  key(given: string): string;
  /** JSON as text. */
  json(given: unknown): string | null;
  /** The expression of the recipient of an order. */
  readonly recipient: string;
  /** A column of a key as text. */
  asText(column: string): string;
  /** Whether an order comes after another one, newest first. */
  isAfter(createdAt: () => string, id: () => string): string;
  /** What every update assigns besides. */
  readonly always: readonly string[];
  /** The time of placing, which has no more than ms. */
  placedAt(value: AddValue<Extra>): string;
  /** Whether the recipient has a column of its own. */
  readonly hasRecipient: boolean;
  /** Ends an INSERT that leaves a row alone that has the same key. */
  orIgnore(key: string): string;
  /** The column `history` with one more line, to which the time is added. */
  append(line: object, value: AddValue<Extra>): string;
  /** The lines of the column `history` as a list in JSON. */
  readonly lines: string;
  /** Ends a SELECT that must see what was committed since the transaction began. */
  readonly latest: string;
}

/** A statement that is being written. */
export function statement<Extra>(dialect: Dialect<Extra>) {
  const values: SqlValue<Extra>[] = [];
  const value: AddValue<Extra> = (given) => dialect.mark(values.push(given));
  return { values, value };
}

/** JSON text; NULL for what is not there. */
export const jsonText = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value);

/** The statement that inserts orders, up to what follows their rows. */
export function insertion<Extra>(
  table: string,
  given: readonly NewOrder[],
  dialect: Dialect<Extra>,
  value: AddValue<Extra>,
): string {
  const rowOf = ({ id, product, params, customer, run, expireAfterMs }: NewOrder): string => {
    const row = [value(id), value(product), value(dialect.json(params))];
    if (dialect.hasRecipient) row.push(value(params.recipient));
    row.push(value(customer ?? null), value(run ?? null), "'placed'", dialect.placedAt(value));
    row.push(dialect.now(value), dialect.now(value));
    row.push(expireAfterMs === undefined ? 'NULL' : dialect.later(expireAfterMs, value));
    return `(${row.join(', ')})`;
  };
  const recipient = dialect.hasRecipient ? 'recipient, ' : '';
  return `INSERT INTO ${table} (id, product, params, ${recipient}customer, run, state, created_at, updated_at, due_at, expires_at)
VALUES ${given.map(rowOf).join(', ')}`;
}

/** The SET list of an update, with its line of history. */
export function assignments<Extra>(
  guard: OrderGuard,
  change: OrderChange,
  note: OrderNote | undefined,
  dialect: Dialect<Extra>,
  value: AddValue<Extra>,
): string {
  const { state = guard.state, attempt = guard.attempt, tries } = change;
  const { reference, amount, amountCharged, commission, token } = change;
  const { refunded, awaitingRefund, contradicted } = change;
  const flag = (is: boolean | undefined) => (is === undefined ? undefined : dialect.flag(is));
  const columns: readonly (readonly [string, SqlValue<Extra> | undefined])[] = [
    ['state', change.state],
    ['attempt', change.attempt],
    ['reference', reference === undefined ? undefined : dialect.key(reference)],
    ['amount', amount],
    ['amount_charged', amountCharged],
    ['commission', commission],
    ['refunded', flag(refunded)],
    ['awaiting_refund', flag(awaitingRefund)],
    ['contradicted', flag(contradicted)],
    ['token', token === undefined ? undefined : dialect.text(token)],
    ['tries', tries],
    ['last_error', 'lastError' in change ? dialect.json(change.lastError) : undefined],
  ];
  const set = [...dialect.always, `updated_at = ${dialect.now(value)}`];
  for (const [column, given] of columns) if (given !== undefined) set.push(`${column} = ${value(given)}`);
  // These keep the time of the first.
  const once = { doubted_at: change.doubted, accepted_at: change.accepted, settled_at: change.settled };
  for (const [column, is] of Object.entries(once)) {
    if (is) set.push(`${column} = coalesce(${column}, ${dialect.now(value)})`);
  }
  if ('dueInMs' in change) {
    const { dueInMs } = change;
    set.push(`due_at = ${dueInMs === undefined ? 'NULL' : dialect.later(dueInMs, value)}`);
  }
  if (note) {
    const { event, detail } = note;
    const line = { event, from_state: guard.state, to_state: state, attempt, detail };
    set.push(`history = ${dialect.append(line, value)}`);
  }
  return set.join(', ');
}

/** The WHERE clause of a query. */
export function conditions<Extra>(
  { state, run, recipient, reference, since, until, settled, after }: Omit<OrderQuery, 'limit'>,
  dialect: Dialect<Extra>,
  value: AddValue<Extra>,
): string {
  const { text, time } = dialect;
  const all: string[] = [];
  if (state !== undefined) all.push(`state = ${value(state)}`);
  if (run !== undefined) all.push(`run = ${value(run)}`);
  if (recipient !== undefined) all.push(`${dialect.recipient} = ${value(text(recipient))}`);
  if (reference !== undefined) all.push(`reference = ${value(text(reference))}`);
  if (since !== undefined) all.push(`created_at >= ${value(time(since))}`);
  if (until !== undefined) all.push(`created_at < ${value(time(until))}`);
  if (settled !== undefined) all.push('settled_at IS NOT NULL');
  if (settled?.since !== undefined) all.push(`settled_at >= ${value(time(settled.since))}`);
  if (settled?.until !== undefined) all.push(`settled_at < ${value(time(settled.until))}`);
  if (after !== undefined) {
    const at = () => value(time(after.createdAt));
    all.push(dialect.isAfter(at, () => value(after.id)));
  }
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '';
}
