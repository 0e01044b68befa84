import type { NewOrder } from '../order.js';
import type { OrderChange, OrderGuard, OrderNote, OrderQuery } from '../store.js';

/** The longest key in bytes of UTF-8: indexes limit it. */
export const keyBytes = 1024;

/** A value of a statement. */
export type SqlValue = string | number | null;

/** Adds a value to a statement and returns its placeholder. Statements are written from left to right, because values are counted. */
export type AddValue = (value: SqlValue) => string;

/** What a database writes in another way than the others. */
export interface Dialect {
  /** The time now in ms since the epoch, by the clock that counts. */
  now(value: AddValue): string;
  /** These expressions as one text. */
  concat(parts: readonly string[]): string;
  /** Ends an INSERT that leaves a row alone which has the same key. */
  keep(key: string): string;
  /** Ends a SELECT that must see what was committed since the transaction began. */
  readonly latest: string;
  /** Whether INSERT and UPDATE return the rows that they have written. */
  readonly returning: boolean;
  /** The type of a text that is compared byte by byte. */
  readonly keyType: string;
  /** The type of a text of any length. */
  readonly textType: string;
  /**
   * The statements that create a table with its indexes, each by its name, its columns, and the column that is not NULL in the rows that it is
   * for: where the database can leave out the others, it need not be written for them.
   */
  createTable(
    table: string,
    columns: readonly string[],
    indexes: readonly (readonly [name: string, columns: string, notNull?: string])[],
  ): string[];
}

/** What SQLite and PostgreSQL write alike. */
export const standardSql = {
  concat: (parts) => parts.map((part) => `CAST(${part} AS TEXT)`).join(' || '),
  keep: (key) => `ON CONFLICT (${key}) DO NOTHING`,
  latest: '',
  returning: true,
  textType: 'TEXT',
  createTable: (table, columns, indexes) => [
    `CREATE TABLE ${table} (\n  ${columns.join(',\n  ')}\n)`,
    ...indexes.map(
      ([name, on, notNull]) =>
        `CREATE INDEX ${name} ON ${table} (${on})${notNull ? ` WHERE ${notNull} IS NOT NULL` : ''}`,
    ),
  ],
} satisfies Partial<Dialect>;

/** A statement that is being written; the placeholder of a value is `?`. */
export function statement() {
  const values: SqlValue[] = [];
  const value: AddValue = (given) => {
    values.push(given);
    return '?';
  };
  return { values, value };
}

/** A text as every database can store it: without NUL and without half a pair of surrogates. */
export const storable = (text: string): string => text.replace(/[\0\ud800-\udfff]/gu, '\ufffd');

/** A text that is a key. A database may cut what is too long without an error, and two orders must never become one. */
function key(text: string): string {
  if (new TextEncoder().encode(text).length > keyBytes)
    throw new Error(`a text of more than ${keyBytes} bytes cannot be a key of orders`);
  return storable(text);
}

const optionalKey = (text: string | undefined): string | null => (text === undefined ? null : key(text));

/** JSON text, which contains only what can be stored; NULL for what is not there. */
const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

const later = (ms: number, { now }: Dialect, value: AddValue): string =>
  `${now(value)} + ${value(Math.round(ms))}`;

/** The parts of a line of history, to which the database adds the time. */
const historyLine = (line: object, start: string, { now }: Dialect, value: AddValue): string[] => [
  `'${start}"at":'`,
  now(value),
  value(`,${JSON.stringify(line).slice(1)}`),
];

/** The statement that inserts orders which are not there yet, up to what follows it. */
export function insertion(
  table: string,
  given: readonly NewOrder[],
  mark: number | undefined,
  dialect: Dialect,
  value: AddValue,
): string {
  const placed = { event: 'place', to: 'placed', attempt: 0 };
  const rowOf = ({ id, product, params, customer, run, expireAfterMs }: NewOrder) => ({
    id: value(key(id)),
    product: value(product),
    params: value(json(params)),
    recipient: value(key(params.recipient)),
    customer: value(optionalKey(customer)),
    run: value(optionalKey(run)),
    state: "'placed'",
    history: dialect.concat(historyLine(placed, '{', dialect, value)),
    ...(mark !== undefined && { written_as: value(mark) }),
    created_at: dialect.now(value),
    updated_at: dialect.now(value),
    due_at: dialect.now(value),
    expires_at: expireAfterMs === undefined ? 'NULL' : later(expireAfterMs, dialect, value),
  });
  const rows = given.map(rowOf);
  return `INSERT INTO ${table} (${Object.keys(rows[0] ?? {}).join(', ')})
VALUES ${rows.map((row) => `(${Object.values(row).join(', ')})`).join(', ')} ${dialect.keep('id')}`;
}

/** The SET list of an update, with its line of history. */
export function assignments(
  guard: OrderGuard,
  change: OrderChange,
  note: OrderNote | undefined,
  mark: number | undefined,
  dialect: Dialect,
  value: AddValue,
): string {
  const { state = guard.state, attempt = guard.attempt, reference, token } = change;
  const columns: readonly (readonly [string, SqlValue | boolean | undefined])[] = [
    ['written_as', mark],
    ['state', change.state],
    ['attempt', change.attempt],
    ['reference', reference === undefined ? undefined : key(reference)],
    ['amount', change.amount],
    ['amount_charged', change.amountCharged],
    ['commission', change.commission],
    ['refunded', change.refunded],
    ['awaiting_refund', change.awaitingRefund],
    ['contradicted', change.contradicted],
    ['token', token === undefined ? undefined : storable(token)],
    ['tries', change.tries],
    ['last_error', 'lastError' in change ? json(change.lastError) : undefined],
  ];
  const set = [`updated_at = ${dialect.now(value)}`];
  for (const [column, given] of columns) {
    if (given !== undefined)
      set.push(`${column} = ${value(typeof given === 'boolean' ? Number(given) : given)}`);
  }
  // These keep the time of the first.
  const once = {
    unknown_since: change.mayHaveCharged,
    accepted_at: change.accepted,
    settled_at: change.settled,
  };
  for (const [column, is] of Object.entries(once)) {
    if (is) set.push(`${column} = coalesce(${column}, ${dialect.now(value)})`);
  }
  if ('dueInMs' in change)
    set.push(`due_at = ${change.dueInMs === undefined ? 'NULL' : later(change.dueInMs, dialect, value)}`);
  if (note) {
    const { event, detail } = note;
    const line = { event, from: guard.state, to: state, attempt, detail };
    set.push(`history = ${dialect.concat(['history', ...historyLine(line, ',{', dialect, value)])}`);
  }
  return set.join(', ');
}

/** The WHERE clause of a query. */
export function conditions(
  { state, run, recipient, reference, since, until, settled, after }: Omit<OrderQuery, 'limit'>,
  value: AddValue,
): string {
  const all: string[] = [];
  const where = (condition: string, given: SqlValue | Date | undefined): void => {
    if (given === undefined) return;
    const stored =
      given instanceof Date ? given.getTime() : typeof given === 'string' ? storable(given) : given;
    all.push(`${condition} ${value(stored)}`);
  };
  where('state =', state);
  where('run =', run);
  where('recipient =', recipient);
  where('reference =', reference);
  where('created_at >=', since);
  where('created_at <', until);
  if (settled !== undefined) all.push('settled_at IS NOT NULL');
  where('settled_at >=', settled?.since);
  where('settled_at <', settled?.until);
  if (after !== undefined) {
    // Of a comparison of pairs, and of one with OR alone, not every database uses an index.
    where('created_at <=', after.createdAt);
    all.push(`(created_at < ${value(after.createdAt.getTime())} OR id < ${value(storable(after.id))})`);
  }
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '';
}
