import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { vi } from 'vitest';
import {
  type DedupeStore,
  type DedupeTimes,
  memoryDedupe,
  postgresDedupe,
  redisDedupe,
} from '../../src/webhooks/index.js';

/** Where test/services/start.sh has started them; undefined on a machine without. */
export const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];
export const postgresUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];

/** Stores of one kind for tests, on one engine. */
export interface OpenedStore {
  make(times?: DedupeTimes): DedupeStore;
  /** Shortens the remaining time of a key by `ms`, as if that time had passed. */
  pass(key: string, ms: number): Promise<unknown>;
  close(): Promise<void>;
}

export interface StoreCase {
  readonly name: string;
  /** Why it cannot run here; undefined when it can. */
  readonly missing: string | undefined;
  open(): Promise<OpenedStore>;
}

const without = (url: string | undefined, name: string): string | undefined =>
  url ? undefined : `skipped: ${name} is not set; eval "$(test/services/start.sh $$)" starts one`;

const unique = (): string => `t${crypto.randomUUID().replaceAll('-', '')}`;

export const storeCases: readonly StoreCase[] = [
  {
    name: 'memoryDedupe',
    missing: undefined,
    async open() {
      vi.useFakeTimers({ toFake: ['performance'] });
      const stores = new Map<string, DedupeStore>();
      return {
        make(times = {}) {
          const name = JSON.stringify(times);
          const store = stores.get(name) ?? memoryDedupe(times);
          stores.set(name, store);
          return store;
        },
        pass: async (_, ms) => vi.advanceTimersByTime(ms),
        async close() {
          stores.clear();
          vi.useRealTimers();
        },
      };
    },
  },
  {
    name: 'redisDedupe over node-redis',
    missing: without(redisUrl, 'BILLPAY_TEST_REDIS_URL'),
    async open() {
      const client = createClient({ url: redisUrl! });
      await client.connect();
      const prefix = `${unique()}:`;
      return {
        make: (times = {}) => redisDedupe(client, { ...times, prefix }),
        pass: async (key, ms) => client.pExpire(prefix + key, (await client.pTTL(prefix + key)) - ms),
        close: () => client.close(),
      };
    },
  },
  {
    name: 'redisDedupe over ioredis',
    missing: without(redisUrl, 'BILLPAY_TEST_REDIS_URL'),
    async open() {
      const client = new Redis(redisUrl!);
      const prefix = `${unique()}:`;
      return {
        make: (times = {}) => redisDedupe(client, { ...times, prefix }),
        pass: async (key, ms) => client.pexpire(prefix + key, (await client.pttl(prefix + key)) - ms),
        close: async () => client.disconnect(),
      };
    },
  },
  {
    name: 'postgresDedupe',
    missing: without(postgresUrl, 'BILLPAY_TEST_POSTGRES_URL'),
    async open() {
      const pool = new Pool({ connectionString: postgresUrl! });
      const table = unique();
      await postgresDedupe(pool, { table }).createTables();
      return {
        make: (times = {}) => postgresDedupe(pool, { ...times, table }),
        pass: (key, ms) =>
          pool.query(`UPDATE ${table} SET expires_at = expires_at - $2 * interval '1 ms' WHERE key = $1`, [
            key,
            ms,
          ]),
        async close() {
          await pool.query(`DROP TABLE ${table}`);
          await pool.end();
        },
      };
    },
  },
];
