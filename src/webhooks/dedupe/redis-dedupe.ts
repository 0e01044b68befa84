import {
  assertOption,
  instance,
  type OptionShape,
  optionsOf,
  parseOptions,
  withDefault,
} from '../../validation/options.js';
import { type DedupeStore, type DedupeTimes, dedupeTimes, stateOf } from './dedupe.js';

/** The part of a node-redis client that is used (`createClient` of `redis` 4 and 5). Connect it first. */
export interface NodeRedisClient {
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** The part of an ioredis client that is used (`new Redis()` of `ioredis` 5). */
export interface IoRedisClient {
  /** Sends a command. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
}

/** Options for `redisDedupe`. */
export interface RedisDedupeOptions extends DedupeTimes {
  /** The prefix of every key (default `billpay:webhook:`). Use one for each environment when several share a Redis. */
  prefix?: string | undefined;
}

const optionsSchema = () =>
  optionsOf({
    ...dedupeTimes(),
    prefix: withDefault(
      instance<string>((value) => typeof value === 'string', 'must be a string'),
      'billpay:webhook:',
    ),
  } satisfies OptionShape<RedisDedupeOptions>);

/** `SET NX PX`; when the key exists, the same step reads its state. */
const begin = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 'new' end
if redis.call('GET', KEYS[1]) == 'done' then return 'done' end
return 'busy'`;

const done = `
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`;

const release = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

const renew = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

/**
 * De-duplication for any number of processes with one Redis (2.6.12 or later). Each step is atomic. Pass a connected client
 * of node-redis or of ioredis.
 *
 * Redis must not evict keys: `maxmemory-policy noeviction`. An event whose process dies while handling it is handled again
 * after the lease. For effects that must happen exactly once use `postgresDedupe(...).transaction`.
 *
 * @throws ConfigurationError that names the wrong option.
 * @example
 * ```ts
 * import { createClient } from 'redis';
 *
 * const redis = await createClient({ url: String(process.env.REDIS_URL) }).connect();
 * const handler = createWebhookHandler({ secret, dedupe: redisDedupe(redis), on });
 * ```
 */
export function redisDedupe(
  client: NodeRedisClient | IoRedisClient,
  options: RedisDedupeOptions = {},
): DedupeStore {
  const { lease, keep, prefix } = parseOptions(optionsSchema(), options, { owner: 'redisDedupe' });
  const run = scriptRunner(client);
  const claim = (owner: string) => `busy:${owner}`;

  return {
    lease,
    begin: async (key, owner = '') => stateOf(await run(begin, prefix + key, claim(owner), String(lease))),
    done: async (key) => {
      await run(done, prefix + key, '', String(keep));
    },
    release: async (key, owner = '') => {
      await run(release, prefix + key, claim(owner), '');
    },
    renew: async (key, owner = '') =>
      Number(await run(renew, prefix + key, claim(owner), String(lease))) === 1,
  };
}

type Run = (script: string, key: string, claim: string, ms: string) => Promise<unknown>;

/** Adapts the two libraries, whose calls for scripts differ. */
function scriptRunner(client: NodeRedisClient | IoRedisClient): Run {
  if (isIoRedis(client)) {
    return (script, key, claim, ms) => client.call('EVAL', script, 1, key, claim, ms);
  }
  assertOption(
    typeof Object(client).eval === 'function',
    'client',
    'must be a client of node-redis (createClient of `redis`) or of ioredis',
  );
  return (script, key, claim, ms) => client.eval(script, { keys: [key], arguments: [claim, ms] });
}

const isIoRedis = (client: object): client is IoRedisClient =>
  typeof Object(client) === 'object' && 'call' in Object(client) && typeof Object(client).call === 'function';
