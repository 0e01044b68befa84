import type { OrderChange, OrderQuery } from '../store.js';

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

/** The SET list of an update. */
export function assignments<Extra>(
  change: OrderChange,
  dialect: Dialect<Extra>,
  value: AddValue<Extra>,
): string {
  const { state, attempt, reference, amount, amountCharged, commission, token, tries } = change;
  const { refunded, awaitingRefund, contradicted } = change;
  const flag = (is: boolean | undefined) => (is === undefined ? undefined : dialect.flag(is));
  const columns: readonly (readonly [string, SqlValue<Extra> | undefined])[] = [
    ['state', state],
    ['attempt', attempt],
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
