import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError } from '../errors/base.js';
import { mysqlOrderStore, postgresOrderStore, sqliteOrderStore } from '../orders/index.js';
import type { OrderStore } from '../orders/store.js';
import type { MysqlOrderPool } from '../orders/stores/mysql.js';
import type { SqliteOrderDatabase } from '../orders/stores/sqlite.js';
import type { PostgresPool } from '../postgres.js';
import { readProperty } from '../utils/unknown.js';
import { CommandError, variable } from './frame.js';
import type { CommandProcess } from './terminal.js';

/** The values of `addDatabaseOptions`. */
export interface DatabaseOptions {
  readonly databaseUrl?: Address;
  readonly sqlite?: string;
  readonly table?: string;
}

/** Where a database is: the address of a server, or the path of a file. */
export interface Address {
  readonly kind: 'postgres' | 'mysql' | 'sqlite';
  readonly at: string;
}

/** Reads an address. No message shows it, because it may hold a password. */
function readAddress(name: string, text: string): Address {
  const [, scheme = '', rest = ''] = /^(\w+):(.+)$/.exec(text) ?? [];
  if (/^(sqlite|file)$/.test(scheme)) return { kind: 'sqlite', at: rest.replace(/^\/\/(?=\/)/, '') };
  if (URL.canParse(text)) {
    if (/^postgres(ql)?$/.test(scheme)) return { kind: 'postgres', at: text };
    if (/^(mysql|mariadb)$/.test(scheme)) return { kind: 'mysql', at: text.replace(/^mariadb:/, 'mysql:') };
  }
  throw new CommandError(
    `${name} must be the address of a PostgreSQL, a MySQL or a SQLite file, such as postgres://user@localhost/shop or sqlite:shop.db`,
  );
}

/** Adds the options that name the database of a shop. */
export const addDatabaseOptions = (command: Command): Command =>
  command
    .option(
      '--database-url <url>',
      'The database of the orders: postgres://…, mysql://… or sqlite:FILE (default: $BILLPAY_DATABASE_URL)',
      (text: string) => readAddress('--database-url', text),
    )
    .option('--sqlite <file>', 'The SQLite file of the orders')
    .option('--table <name>', 'The table of the orders (default: billpay_orders)');

/** The database that options or the environment name; undefined where neither does. */
export function addressOf(
  { databaseUrl, sqlite }: DatabaseOptions,
  env: CommandProcess['env'],
): Address | undefined {
  if (databaseUrl !== undefined && sqlite !== undefined)
    throw new CommandError('--database-url does not go with --sqlite: leave one of them out');
  if (sqlite !== undefined) return { kind: 'sqlite', at: sqlite };
  const text = variable(env, 'BILLPAY_DATABASE_URL');
  return databaseUrl ?? (text === undefined ? undefined : readAddress('BILLPAY_DATABASE_URL', text));
}

/** The orders of a shop. */
export interface ShopOrders {
  readonly store: OrderStore<unknown>;
  close(): Promise<void>;
}

interface OpenOptions {
  /** The table of the orders. */
  readonly table?: string | undefined;
  /** Where the drivers are installed: the project of the shop. */
  readonly folder: string;
  /** Whether a SQLite file is opened for reading alone. */
  readonly readOnly?: boolean;
}

/**
 * Opens the orders of a shop. Creates no tables.
 *
 * @throws `CommandError` where the database cannot be used.
 */
export async function openOrders({ kind, at }: Address, options: OpenOptions): Promise<ShopOrders> {
  const { folder, table } = options;
  const named = table === undefined ? {} : { table };
  try {
    if (kind === 'sqlite') return await openSqliteOrders(at, named, options);
    if (kind === 'postgres') {
      const pool = openPostgres(at, folder);
      return { store: postgresOrderStore(pool, named), close: () => pool.end() };
    }
    const { createPool } = driver<Mysql>(folder, 'mysql2', 'mysql2/promise');
    const pool = createPool({ uri: at, connectTimeout: connectTimeoutMs });
    return { store: mysqlOrderStore(pool, named), close: () => pool.end() };
  } catch (error) {
    throw databaseError(error);
  }
}

/** ms after which a database that does not accept a connection is given up. */
const connectTimeoutMs = 10_000;

/** The driver that the application in a folder has installed. */
function driver<Module>(folder: string, name: string, imported = name): Module {
  const require = createRequire(join(folder, 'package.json'));
  try {
    require.resolve(imported);
  } catch {
    throw new CommandError(
      `${name} is not installed in ${folder}: run this command in the folder of your shop, or npm install ${name} there`,
    );
  }
  // Each of these drivers is a CommonJS module.
  return require(imported) as Module;
}

interface Mysql {
  createPool(options: object): MysqlOrderPool & { end(): Promise<void> };
}

/** A pool of `pg` that is ended after its use. */
export interface EndingPool extends PostgresPool {
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
}

interface Pg {
  readonly Pool: new (options: object) => EndingPool;
}

/** A pool of the `pg` that is installed in a folder. Nothing is connected yet. */
export function openPostgres(connectionString: string, folder: string): EndingPool {
  const { Pool } = driver<Pg>(folder, 'pg');
  const pool = new Pool({ connectionString, connectionTimeoutMillis: connectTimeoutMs });
  // A connection that the server closes is replaced by the pool.
  pool.on('error', () => {});
  return pool;
}

/** What is used of a database of node:sqlite or better-sqlite3. */
type SqliteFile = SqliteOrderDatabase & { close(): unknown };

interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => SqliteFile;
}

type BetterSqlite = new (path: string, options: { readonly readonly: boolean }) => SqliteFile;

/** By a variable, because the types are those of Node 20, which does not have the module. */
const sqliteModule: string = 'node:sqlite';

/** node:sqlite; undefined before Node 22.13. */
export function nodeSqlite(): NodeSqlite | undefined {
  // While it is loaded, Node warns that it is an experimental feature. A nightly command would mail that each time.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule(sqliteModule) as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Opens files with the SQLite of Node, or where it has none, with that of the shop. */
function sqliteOf(folder: string): (file: string, isReadOnly: boolean) => SqliteFile {
  const builtin = nodeSqlite();
  if (builtin) return (file, readOnly) => new builtin.DatabaseSync(file, { readOnly });
  const Better = driver<BetterSqlite>(folder, 'better-sqlite3');
  return (file, readonly) => new Better(file, { readonly });
}

async function openSqliteOrders(
  file: string,
  named: { readonly table?: string },
  { folder, readOnly = true }: OpenOptions,
): Promise<ShopOrders> {
  if (!existsSync(file)) throw new CommandError(`there is no SQLite file ${file}: check its path`);
  const openFile = sqliteOf(folder);
  const open = (isReadOnly: boolean): ShopOrders => {
    const database = openFile(file, isReadOnly);
    try {
      // A shop that sells at the same time may hold the file for a moment.
      database.exec('PRAGMA busy_timeout = 5000');
      return { store: sqliteOrderStore(database, named), close: async () => void database.close() };
    } catch (error) {
      database.close();
      throw error;
    }
  };
  // A store creates the tables that it lacks, which a file that is only read does not allow.
  const reading = open(true);
  if (readOnly) return reading;
  await reading.close();
  return open(false);
}

const noTable = /^(42P01|ER_NO_SUCH_TABLE)$/;
const notReached = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/;

/** What is wrong with a database, without its address and password. */
export function databaseError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  // Such as a name of a table that cannot be one.
  if (error instanceof ConfigurationError) return new CommandError(error.message);
  const message = String(readProperty(error, 'message'));
  const [first] = [error, readProperty(error, 'cause')].map((one) => readProperty(one, 'code'));
  const code = typeof first === 'string' ? first : '';
  if (noTable.test(code) || /no such table|readonly database/i.test(message))
    return new CommandError(
      'the database has no tables of orders: name them with --table, or start the shop once, which creates them',
    );
  return new CommandError(
    notReached.test(code) || /timeout/i.test(message)
      ? `the database does not respond (${code || 'timeout'}): start it, or check the host and port of its address`
      : `the database cannot be used (${code || String(readProperty(error, 'name'))}): check the user, password and permissions of its address`,
  );
}
