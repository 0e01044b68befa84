import { type InstalledPool, loadInstalled, openPool } from '../cli/installed.js';
import { migrations } from '../orders/stores/postgres-schema.js';
import { orderTables } from '../orders/stores/tables.js';
import { atMost } from '../utils/at-most.js';
import { callSafely } from '../utils/call-safely.js';
import { type Finding, failed, type Outcome, ok, skipped, warning } from './finding.js';
import { errorCodeOf, networkTimeoutMs } from './network-checks.js';

const limits = { connectionTimeoutMillis: networkTimeoutMs, query_timeout: networkTimeoutMs };

/** Examines the tables of orders in PostgreSQL and whether commits survive a crash. It only reads. */
export async function* checkPostgres(url: string | undefined, folder: string): AsyncGenerator<Finding> {
  const check = 'postgres';
  if (url === undefined) {
    const remedy = 'name it with BILLPAY_DATABASE_URL or --database-url';
    yield { check, ...skipped('no database was given', remedy) };
    return;
  }
  let pool: InstalledPool | undefined;
  try {
    pool = await openPool(folder, url, limits);
    if (!pool) {
      const remedy = 'run the doctor in the folder of your application, or install pg';
      yield { check, ...skipped('pg is not installed here', remedy) };
      return;
    }
    const version = await versionOfTables(pool);
    yield { check: 'postgres-tables', ...judgeTables(version, expectedVersion) };
    const [fsync, commit] = [await setting(pool, 'fsync'), await setting(pool, 'synchronous_commit')];
    yield { check: 'postgres-durability', ...judgeDurability(fsync, commit) };
  } catch (error) {
    const message = `the database cannot be used (${errorCodeOf(error)})`;
    yield { check, ...failed(message, 'check its address, user, password and permissions') };
  } finally {
    await pool?.end().catch(() => {});
  }
}

const tables = orderTables(undefined, 'billpay_orders');
const expectedVersion = migrations(tables).length;

const readValue = async (pool: InstalledPool, sql: string, name: string): Promise<unknown> =>
  Object((await pool.query(sql)).rows[0])[name];

/** The version of the tables of orders; undefined where there are none. */
async function versionOfTables(pool: InstalledPool): Promise<number | undefined> {
  const exists = await readValue(
    pool,
    `SELECT to_regclass('${tables.version}') IS NOT NULL AS exists`,
    'exists',
  );
  if (exists !== true) return undefined;
  return Number(
    (await readValue(pool, `SELECT max(version) AS version FROM ${tables.version}`, 'version')) ?? 0,
  );
}

const setting = async (pool: InstalledPool, name: 'fsync' | 'synchronous_commit'): Promise<string> =>
  String(await readValue(pool, `SHOW ${name}`, name));

/** Whether the tables of orders fit this version of the package. */
export function judgeTables(version: number | undefined, expected: number): Outcome {
  const create = 'call createTables() of postgresOrderStore at the start of your application';
  if (version === undefined)
    return warning(
      'there are no tables of orders named billpay_orders',
      `${create}, if you use billpay/orders`,
    );
  if (version < expected)
    return failed(`the tables have version ${version}, and ${expected} is needed`, create);
  if (version === expected) return ok(`the tables of orders have version ${version}`);
  return failed(
    `the tables have version ${version}, which is newer than this package's ${expected}`,
    'update billpay here to the version that the other processes use',
  );
}

/** Whether a commit that was confirmed survives a crash. */
export function judgeDurability(fsync: string, synchronousCommit: string): Outcome {
  if (fsync === 'on' && synchronousCommit !== 'off') return ok('confirmed commits survive a crash');
  return failed(
    `fsync is ${fsync} and synchronous_commit is ${synchronousCommit}: a crash loses orders that were confirmed`,
    'turn both on for this database',
  );
}

/** What is used of a client of `ioredis` and of `redis` (node-redis). */
interface RedisClient {
  connect(): Promise<unknown>;
  info(): Promise<string>;
  on(event: 'error', listener: () => void): unknown;
}

interface IoRedisModule {
  readonly Redis: new (url: string, options: object) => RedisClient & { disconnect(): void };
}

interface NodeRedisModule {
  createClient(options: object): RedisClient & { destroy(): void };
}

/** Examines the settings of the Redis that de-duplicates webhooks or runs queues. It only reads. */
export async function* checkRedis(url: string | undefined, folder: string): AsyncGenerator<Finding> {
  const check = 'redis';
  if (url === undefined) {
    yield { check, ...skipped('no Redis was given', 'name it with BILLPAY_REDIS_URL or --redis-url') };
    return;
  }
  try {
    const installed = await loadInstalled(folder, ['ioredis', 'redis']);
    if (!installed) {
      const remedy = 'run the doctor in the folder of your application, or install one of them';
      yield { check, ...skipped('neither ioredis nor redis is installed here', remedy) };
      return;
    }
    const { name, module } = installed;
    const info =
      name === 'ioredis'
        ? await infoByIoRedis(module as IoRedisModule, url)
        : await infoByNodeRedis(module as NodeRedisModule, url);
    yield { check: 'redis-eviction', ...judgeEviction(infoField(info, 'maxmemory_policy')) };
    yield { check: 'redis-persistence', ...judgePersistence(infoField(info, 'aof_enabled')) };
  } catch (error) {
    const message = `Redis cannot be used (${errorCodeOf(error)})`;
    yield { check, ...failed(message, 'check its address, user and password') };
  }
}

function infoByIoRedis({ Redis }: IoRedisModule, url: string): Promise<string> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: networkTimeoutMs,
    commandTimeout: networkTimeoutMs,
    retryStrategy: () => null,
  });
  return infoOf(client, () => client.disconnect());
}

function infoByNodeRedis({ createClient }: NodeRedisModule, url: string): Promise<string> {
  const socket = { reconnectStrategy: false, connectTimeout: networkTimeoutMs };
  const client = createClient({ url, socket });
  return infoOf(client, () => client.destroy());
}

function infoOf(client: RedisClient, end: () => void): Promise<string> {
  // The error also rejects the calls below.
  client.on('error', () => {});
  const info = client.connect().then(() => client.info());
  // node-redis waits without end for a Redis that accepts the connection and does not respond. The code of the error is what is shown.
  return atMost(networkTimeoutMs, info, '').finally(() => callSafely(end));
}

const infoField = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim();

/** Whether Redis keeps every key until it expires. */
export function judgeEviction(policy: string | undefined): Outcome {
  if (policy === undefined) return skipped('Redis does not tell its maxmemory-policy');
  return policy === 'noeviction'
    ? ok('maxmemory-policy is noeviction')
    : failed(
        `maxmemory-policy is ${policy}: Redis may forget which webhooks were handled`,
        'set maxmemory-policy noeviction',
      );
}

/** Whether what was handled is still known after a restart. */
export function judgePersistence(aofEnabled: string | undefined): Outcome {
  if (aofEnabled === undefined) return skipped('Redis does not tell whether it writes an append-only file');
  return aofEnabled === '1'
    ? ok('appendonly is on')
    : warning(
        'appendonly is off: after a crash, webhooks that were handled are handled again',
        'set appendonly yes, or use postgresDedupe with a transaction',
      );
}
