import { existsSync } from 'node:fs';
import { loadInstalled, nodeSqlite, openPool } from '../cli/installed.js';
import { CommandError, exitCodes, UsageError } from '../cli/program.js';
import { mysqlOrderStore, postgresOrderStore, sqliteOrderStore } from '../orders/index.js';
import type { OrderStore } from '../orders/store.js';
import type { MysqlOrderPool } from '../orders/stores/mysql-pool.js';
import type { SqliteOrderDatabase } from '../orders/stores/sqlite-schema.js';
import { readProperty } from '../utils/read-property.js';

/** Where the orders of a shop are. */
export interface ShopDatabase {
  /** A PostgreSQL or a MySQL. */
  readonly url: string | undefined;
  /** A SQLite file. */
  readonly sqlite: string | undefined;
  readonly table: string | undefined;
  /** Where the drivers are installed: the project of the shop. */
  readonly folder: string;
}

/** An order store that is only read. */
export interface OpenShop {
  readonly store: OrderStore<unknown>;
  close(): Promise<void>;
}

/** The schemes of addresses, and what opens them. */
export const databaseSchemes = ['postgres', 'postgresql', 'mysql', 'mariadb'];

/** Opens the orders of a shop. Creates no tables, and brings none up to date. */
export async function openShop({ url, sqlite, table, folder }: ShopDatabase): Promise<OpenShop> {
  const named = table === undefined ? {} : { table };
  if (url !== undefined && sqlite !== undefined)
    throw new UsageError('--database-url does not go with --sqlite: leave one of them out');
  if (sqlite !== undefined) return openSqlite(sqlite, folder, named);
  if (url === undefined)
    throw new UsageError('needs --database-url or --sqlite, or BILLPAY_DATABASE_URL: where the orders are');
  return /^postgres/.test(url) ? openPostgres(url, folder, named) : openMysql(url, folder, named);
}

interface Named {
  readonly table?: string;
}

const notInstalled = (name: string, folder: string): CommandError =>
  new CommandError(
    exitCodes.failed,
    `${name} is not installed in ${folder}: run this command in the folder of your shop, or npm install ${name} there`,
  );

async function driver(folder: string, name: string, needed = name): Promise<unknown> {
  const installed = await loadInstalled(folder, [needed]);
  if (!installed) throw notInstalled(name, folder);
  return installed.module;
}

async function openPostgres(url: string, folder: string, named: Named): Promise<OpenShop> {
  const pool = await openPool(folder, url);
  if (!pool) throw notInstalled('pg', folder);
  return { store: postgresOrderStore(pool, named), close: () => pool.end() };
}

interface Mysql {
  createPool(uri: string): MysqlOrderPool & { end(): Promise<void> };
}

async function openMysql(url: string, folder: string, named: Named): Promise<OpenShop> {
  const { createPool } = (await driver(folder, 'mysql2', 'mysql2/promise')) as Mysql;
  const pool = createPool(url.replace(/^mariadb:/, 'mysql:'));
  return { store: mysqlOrderStore(pool, named), close: () => pool.end() };
}

type SqliteFile = SqliteOrderDatabase & { close(): unknown };

type BetterSqlite = new (path: string, options: { readonly: true; fileMustExist: true }) => SqliteFile;

async function openSqlite(file: string, folder: string, named: Named): Promise<OpenShop> {
  if (!existsSync(file)) throw new UsageError(`--sqlite: there is no file ${file}`);
  const builtin = nodeSqlite<SqliteFile>();
  const database = builtin
    ? new builtin.DatabaseSync(file, { readOnly: true })
    : new ((await driver(folder, 'better-sqlite3')) as BetterSqlite)(file, {
        readonly: true,
        fileMustExist: true,
      });
  try {
    // A shop that sells at the same time may hold the file for a moment.
    database.exec('PRAGMA busy_timeout = 5000');
    const store: OrderStore<unknown> = sqliteOrderStore(database, named);
    return { store, close: async () => void database.close() };
  } catch (error) {
    database.close();
    throw databaseError(error);
  }
}

/** What is wrong with a database, without the address and its password. */
export function databaseError(error: unknown): CommandError {
  const code = String(readProperty(error, 'code') ?? readProperty(error, 'name') ?? 'unknown error');
  const text = String(readProperty(error, 'message'));
  const isMissing = code === '42P01' || code === 'ER_NO_SUCH_TABLE' || /no such table|readonly/i.test(text);
  return new CommandError(
    exitCodes.failed,
    isMissing
      ? 'the database has no tables of orders of this version: name them with --table, or start the shop once with this version of billpay'
      : `the database cannot be used (${code}): check its address, user, password and permissions`,
  );
}
