import { hasCode } from '../../utils/unknown.js';
import {
  type OptionShape,
  optional,
  optionsOf,
  quotedTable,
  sqlName,
  withDefault,
} from '../../validation/options.js';
import { measuredAt, type Order, type OrderHistoryEntry } from '../order.js';
import type { OrderState } from '../states.js';
import type { OrderStore } from '../store.js';
import type { Dialect } from './sql.js';

/** Options for `postgresOrderStore` and `mysqlOrderStore`. */
export interface ServerOrderStoreOptions {
  /** The schema of the tables; of MySQL, the database. Default: that of the connection. */
  readonly schema?: string | undefined;
  /** The table of orders; the one of their locks is named after it. Default `billpay_orders`. */
  readonly table?: string | undefined;
}

/** Orders in PostgreSQL, MySQL or MariaDB. */
export interface ServerOrderStore<Client> extends OrderStore<Client> {
  /** Creates the tables unless they exist. May be called at every start, by any number of processes. */
  createTables(): Promise<void>;
  /** The statements that `createTables` runs, for your own migrations. */
  readonly ddl: readonly string[];
}

export const serverOptions = optionsOf({
  schema: optional(sqlName()),
  table: withDefault(sqlName(), 'billpay_orders'),
} satisfies OptionShape<ServerOrderStoreOptions>);

/** The names of the tables of orders, quoted. */
export interface OrderTables {
  readonly orders: string;
  /** Rows that are locked while orders for the same recipient take turns. */
  readonly locks: string;
  /** Names an index after its table, without its schema, as it is created. */
  index(suffix: string): string;
}

/**
 * Names the tables after schema and table, whose names the options of the store have checked.
 *
 * @param quote - the quotation mark of names.
 */
export const orderTables = (schema: string | undefined, table: string, quote = '"'): OrderTables => ({
  orders: quotedTable(schema, table, quote),
  locks: quotedTable(schema, `${table}_locks`, quote),
  index: (suffix) => quotedTable(undefined, `${table}_${suffix}`, quote),
});

/**
 * The columns of orders, the same in every database: times are ms since the epoch, flags 0 or 1, JSON is text. A key is compared byte by
 * byte.
 */
const columnsOf = ({
  keyType,
  textType,
  returning,
}: Pick<Dialect, 'keyType' | 'textType' | 'returning'>) => ({
  /** Those of which an order is made when it is read. */
  read: {
    id: `${keyType} NOT NULL PRIMARY KEY`,
    product: 'VARCHAR(16) NOT NULL',
    params: `${textType} NOT NULL`,
    customer: keyType,
    run: keyType,
    state: 'VARCHAR(16) NOT NULL',
    attempt: 'INTEGER NOT NULL DEFAULT 0',
    reference: `${keyType} UNIQUE`,
    amount: 'NUMERIC(20, 2)',
    amount_charged: 'NUMERIC(20, 2)',
    commission: 'NUMERIC(20, 2)',
    refunded: 'INTEGER NOT NULL DEFAULT 0',
    awaiting_refund: 'INTEGER NOT NULL DEFAULT 0',
    contradicted: 'INTEGER NOT NULL DEFAULT 0',
    token: textType,
    last_error: textType,
    tries: 'INTEGER NOT NULL DEFAULT 0',
    created_at: 'BIGINT NOT NULL',
    updated_at: 'BIGINT NOT NULL',
    due_at: 'BIGINT',
    unknown_since: 'BIGINT',
    accepted_at: 'BIGINT',
    settled_at: 'BIGINT',
    expires_at: 'BIGINT',
  },
  others: {
    recipient: `${keyType} NOT NULL`,
    // One line of JSON for each change, separated by commas.
    history: `${textType} NOT NULL`,
    // A random number of the statement that wrote the row last: by it a database without RETURNING finds what it has written.
    ...(!returning && { written_as: 'BIGINT NOT NULL' }),
  },
});

/** The list of the columns of which an order is made. */
export const readColumns = (dialect: Dialect): string => Object.keys(columnsOf(dialect).read).join(', ');

/** An index: its columns, and the one of them that is not NULL in the rows that it is for. */
type Index = readonly [columns: string, notNull?: string];

const indexes: Readonly<Record<string, Index>> = {
  due: ['state, due_at', 'due_at'],
  created: ['created_at, id'],
  state: ['state, created_at, id, awaiting_refund, contradicted'],
  recipient: ['recipient, created_at, id'],
  settled: ['settled_at', 'settled_at'],
  run: ['run, created_at, id', 'run'],
};

/** The statements that create the tables. */
export function ddlOf({ orders, locks, index }: OrderTables, dialect: Dialect): readonly string[] {
  const { read, others } = columnsOf(dialect);
  const columns = Object.entries({ ...read, ...others }).map(([name, type]) => `${name} ${type}`);
  const named = Object.entries(indexes).map(([suffix, on]) => [index(suffix), ...on] as const);
  return [
    ...dialect.createTable(locks, ['slot INTEGER NOT NULL PRIMARY KEY', 'turns INTEGER NOT NULL'], []),
    ...dialect.createTable(orders, columns, named),
  ];
}

/** The databases' codes of a right that the role lacks. */
const noRight = ['42501', 'ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR'];

/**
 * Creates the tables unless they exist, which needs no right to create anything.
 *
 * @param run - runs one statement.
 * @param create - creates the tables that are not there.
 */
export async function createTables(
  { orders }: OrderTables,
  run: (sql: string) => Promise<unknown>,
  create: () => Promise<void>,
): Promise<void> {
  const exists = await run(`SELECT 1 FROM ${orders} WHERE 1 = 0`).then(
    () => true,
    () => false,
  );
  if (exists) return;
  try {
    await create();
  } catch (cause) {
    if (!hasCode(cause, ...noRight)) throw cause;
    throw new Error(
      `There are no tables of orders, and the role of this connection has no right to create them. Call createTables() once with a role that may, such as in a migration, and give this role SELECT, INSERT, UPDATE and DELETE on ${orders} and the table of its locks.`,
      { cause },
    );
  }
}

/** A row of any of the databases, by the names of its columns. A number may be text, and text may be bytes. */
export type SqlRow = Readonly<Record<string, unknown>>;

const unlessNull = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === null || value === undefined ? undefined : read(value);

const text = (value: unknown) => unlessNull(value, String);
const number = (value: unknown) => unlessNull(value, Number);
const flag = (value: unknown) => Number(value) !== 0;
const json = (value: unknown) => unlessNull(value, (stored) => JSON.parse(String(stored)));

/** A time as a date. */
export const dateOf = (value: unknown): Date => new Date(Number(value));

const date = (value: unknown) => unlessNull(value, dateOf);

/** A row as an order. Its columns were written by the same store. One that was just written was read then. */
export function orderOf(row: SqlRow): Order {
  const updatedAt = dateOf(row['updated_at']);
  const dueAt = date(row['due_at']);
  const acceptedAt = date(row['accepted_at']);
  return {
    id: String(row['id']),
    product: String(row['product']) as Order['product'],
    params: json(row['params']),
    customer: text(row['customer']),
    run: text(row['run']),
    state: String(row['state']) as OrderState,
    attempt: Number(row['attempt']),
    ...measuredAt(date(row['read_at']) ?? updatedAt, {
      dueAt,
      unknownSince: date(row['unknown_since']),
      acceptedAt,
      expiresAt: date(row['expires_at']),
    }),
    reference: text(row['reference']),
    amount: number(row['amount']),
    amountCharged: number(row['amount_charged']),
    commission: number(row['commission']),
    acceptedAt,
    settledAt: date(row['settled_at']),
    refunded: flag(row['refunded']),
    awaitingRefund: flag(row['awaiting_refund']),
    contradicted: flag(row['contradicted']),
    token: text(row['token']),
    lastError: json(row['last_error']),
    tries: Number(row['tries']),
    createdAt: dateOf(row['created_at']),
    updatedAt,
    dueAt,
  };
}

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
