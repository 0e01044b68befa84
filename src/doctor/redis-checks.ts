import { loadInstalled } from '../cli/optional-module.js';
import { type Finding, findingsOf } from './finding.js';
import { errorCodeOf, networkTimeoutMs } from './network-checks.js';

/** The part of `ioredis` that is used. */
interface IoRedisModule {
  readonly Redis: new (
    url: string,
    options: {
      readonly lazyConnect: true;
      readonly connectTimeout: number;
      readonly commandTimeout: number;
      readonly retryStrategy: () => null;
    },
  ) => { connect(): Promise<void>; info(): Promise<string>; disconnect(): void; on: OnError };
}

/** The part of `redis` (node-redis) that is used. */
interface NodeRedisModule {
  createClient(options: {
    readonly url: string;
    readonly socket: { readonly reconnectStrategy: false; readonly connectTimeout: number };
  }): { connect(): Promise<unknown>; info(): Promise<string>; destroy(): void; on: OnError };
}

type OnError = (event: 'error', listener: () => void) => unknown;

/** Examines the settings of the Redis that de-duplicates webhooks or runs queues. It only reads. */
export async function* checkRedis(url: string | undefined, folder: string): AsyncGenerator<Finding> {
  const { skipped, failed } = findingsOf('redis');
  if (url === undefined) {
    yield skipped('no Redis was given', 'name it with BILLPAY_REDIS_URL or --redis-url');
    return;
  }
  const installed = await loadInstalled(folder, ['ioredis', 'redis']);
  if (!installed) {
    yield skipped(
      'neither ioredis nor redis is installed here',
      'run the doctor in the folder of your application, or install one of them',
    );
    return;
  }
  let info: string;
  try {
    info =
      installed.name === 'ioredis'
        ? await infoByIoRedis(installed.module as IoRedisModule, url)
        : await infoByNodeRedis(installed.module as NodeRedisModule, url);
  } catch (error) {
    yield failed(`Redis cannot be used (${errorCodeOf(error)})`, 'check its address, user and password');
    return;
  }
  yield judgeEviction(infoField(info, 'maxmemory_policy'));
  yield judgePersistence(infoField(info, 'aof_enabled'));
}

async function infoByIoRedis({ Redis }: IoRedisModule, url: string): Promise<string> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: networkTimeoutMs,
    commandTimeout: networkTimeoutMs,
    retryStrategy: () => null,
  });
  // The error also rejects the call below.
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.info();
  } finally {
    client.disconnect();
  }
}

async function infoByNodeRedis({ createClient }: NodeRedisModule, url: string): Promise<string> {
  const socket = { reconnectStrategy: false, connectTimeout: networkTimeoutMs } as const;
  const client = createClient({ url, socket });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.info();
  } finally {
    client.destroy();
  }
}

/** One field of what the command INFO returns. */
const infoField = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim();

/** Whether Redis keeps every key until it expires. */
export function judgeEviction(policy: string | undefined): Finding {
  const { ok, skipped, failed } = findingsOf('redis-eviction');
  if (policy === undefined) return skipped('Redis does not tell its maxmemory-policy');
  return policy === 'noeviction'
    ? ok('maxmemory-policy is noeviction')
    : failed(
        `maxmemory-policy is ${policy}: Redis may forget which webhooks were handled`,
        'set maxmemory-policy noeviction',
      );
}

/** Whether what was handled is still known after a restart. */
export function judgePersistence(aofEnabled: string | undefined): Finding {
  const { ok, skipped, warning } = findingsOf('redis-persistence');
  if (aofEnabled === undefined) return skipped('Redis does not tell whether it writes an append-only file');
  return aofEnabled === '1'
    ? ok('appendonly is on')
    : warning(
        'appendonly is off: after a crash, webhooks that were handled are handled again',
        'set appendonly yes, or use postgresDedupe with a transaction',
      );
}
