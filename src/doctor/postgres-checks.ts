import { loadInstalled } from '../cli/optional-module.js';
import { migrations } from '../orders/stores/postgres-schema.js';
import { orderTables } from '../orders/stores/tables.js';
import { type Finding, findingsOf } from './finding.js';
import { errorCodeOf, networkTimeoutMs } from './network-checks.js';

/** The part of `pg` that is used. */
interface PgModule {
  readonly Client: new (options: {
    readonly connectionString: string;
    readonly connectionTimeoutMillis: number;
    readonly query_timeout: number;
  }) => PgClient;
}

interface PgClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
  end(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
}

/** Examines the tables of orders in PostgreSQL and whether commits survive a crash. It only reads. */
export async function* checkPostgres(url: string | undefined, folder: string): AsyncGenerator<Finding> {
  const { skipped, failed } = findingsOf('postgres');
  if (url === undefined) {
    yield skipped('no database was given', 'name it with BILLPAY_DATABASE_URL or --database-url');
    return;
  }
  const installed = await loadInstalled(folder, ['pg']);
  if (!installed) {
    yield skipped(
      'pg is not installed here',
      'run the doctor in the folder of your application, or install pg',
    );
    return;
  }
  const { Client } = installed.module as PgModule;
  let client: PgClient | undefined;
  try {
    client = new Client({
      connectionString: url,
      connectionTimeoutMillis: networkTimeoutMs,
      query_timeout: networkTimeoutMs,
    });
    client.on('error', () => {});
    await client.connect();
    yield judgeTables(await versionOfTables(client), expectedVersion);
    yield judgeDurability(await setting(client, 'fsync'), await setting(client, 'synchronous_commit'));
  } catch (error) {
    yield failed(
      `the database cannot be used (${errorCodeOf(error)})`,
      'check its address, user, password and permissions',
    );
  } finally {
    await client?.end().catch(() => {});
  }
}

const tables = orderTables(undefined, 'billpay_orders');
const expectedVersion = migrations(tables).length;

/** The version of the tables of orders; undefined where there are none. */
async function versionOfTables(client: PgClient): Promise<number | undefined> {
  const found = await client.query(`SELECT to_regclass('${tables.version}') IS NOT NULL AS exists`);
  if (found.rows[0]?.['exists'] !== true) return undefined;
  const { rows } = await client.query(`SELECT max(version) AS version FROM ${tables.version}`);
  return Number(rows[0]?.['version'] ?? 0);
}

async function setting(client: PgClient, name: 'fsync' | 'synchronous_commit'): Promise<string> {
  const { rows } = await client.query(`SHOW ${name}`);
  return String(rows[0]?.[name]);
}

/** Whether the tables of orders fit this version of the package. */
export function judgeTables(version: number | undefined, expected: number): Finding {
  const { ok, warning, failed } = findingsOf('postgres-tables');
  const create = 'call createTables() of postgresOrderStore at the start of your application';
  if (version === undefined) {
    return warning(
      'there are no tables of orders named billpay_orders',
      `${create}, if you use billpay/orders`,
    );
  }
  if (version < expected)
    return failed(`the tables have version ${version}, and ${expected} is needed`, create);
  if (version > expected) {
    return failed(
      `the tables have version ${version}, which is newer than this package's ${expected}`,
      'update billpay here to the version that the other processes use',
    );
  }
  return ok(`the tables of orders have version ${version}`);
}

/** Whether a commit that was confirmed survives a crash. */
export function judgeDurability(fsync: string, synchronousCommit: string): Finding {
  const { ok, failed } = findingsOf('postgres-durability');
  if (fsync === 'on' && synchronousCommit !== 'off') return ok('confirmed commits survive a crash');
  return failed(
    `fsync is ${fsync} and synchronous_commit is ${synchronousCommit}: a crash loses orders that were confirmed`,
    'turn both on for this database',
  );
}
