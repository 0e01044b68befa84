import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  AlreadyHandledError,
  createWebhookHandler,
  type PostgresDedupeStore,
  postgresDedupe,
} from '../../../src/webhooks/index.js';
import { delivery, recordingLogger, secret } from '../../webhooks/deliveries.js';
import { postgresUrl } from '../../webhooks/stores.js';

const title = postgresUrl
  ? 'postgresDedupe within the transactions of its caller'
  : 'postgresDedupe (skipped: BILLPAY_TEST_POSTGRES_URL is not set)';

describe.skipIf(!postgresUrl)(title, () => {
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`;
  const key = 'transaction.completed:TXN-1';
  let pool: Pool;
  let store: PostgresDedupeStore;
  /** For what another connection does, however slow the machine is. */
  const patience = 15_000;

  beforeAll(async () => {
    pool = new Pool({ connectionString: postgresUrl! });
    await pool.query(`CREATE SCHEMA ${name}; CREATE TABLE ${name}.credits (reference text)`);
    store = postgresDedupe(pool, { schema: name, table: 'events' });
    await Promise.all(Array.from({ length: 5 }, () => store.createTables()));
  });
  beforeEach(() => pool.query(`TRUNCATE ${name}.events, ${name}.credits`));
  afterAll(async () => {
    await pool.query(`DROP SCHEMA ${name} CASCADE`);
    await pool.end();
  });

  async function inTransaction(work: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }

  const credit = (beforeCommit: () => Promise<unknown> = async () => undefined) =>
    inTransaction(async (client) => {
      await client.query(`INSERT INTO ${name}.credits VALUES ('TXN-1')`);
      await store.withTransaction(client).done(key);
      await beforeCommit();
    });

  const credits = async () => (await pool.query(`SELECT * FROM ${name}.credits`)).rows.length;

  it('commits effect and mark together, or neither', async () => {
    await store.begin(key, 'a');
    await expect(credit(() => Promise.reject(new Error('power cut')))).rejects.toThrow('power cut');
    expect([await store.begin(key, 'b'), await credits()]).toEqual(['busy', 0]);
    await credit();
    expect([await store.begin(key, 'b'), await credits()]).toEqual(['done', 1]);
  });

  it('rolls back all but one of the runs that have lost their lease without knowing', async () => {
    const runs = await Promise.allSettled([credit(), credit(), credit()]);
    expect(await credits()).toBe(1);
    const refused = runs.flatMap((run) => (run.status === 'rejected' ? [run.reason] : []));
    expect(refused).toHaveLength(2);
    for (const error of refused) {
      expect(error).toBeInstanceOf(AlreadyHandledError);
      expect(error).toMatchObject({ name: 'AlreadyHandledError', code: 'ALREADY_HANDLED' });
    }
  });

  it('returns busy without waiting while a transaction is marking the key', async () => {
    await store.begin(key, 'a');
    await credit(async () => expect(await store.begin(key, 'b')).toBe('busy'));
    expect(await store.begin(key, 'b')).toBe('done');
  });

  it('waits for a transaction that outlived its lease, and does not claim the key that it marks', async () => {
    await store.begin(key, 'a');
    await pool.query(`UPDATE ${name}.events SET expires_at = clock_timestamp()`);
    let meanwhile: Promise<unknown> | undefined;
    await credit(async () => {
      meanwhile = store.begin(key, 'b');
      await vi.waitFor(async () => {
        const waiting = await pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
          [`%${name}%`],
        );
        expect(waiting.rows).toHaveLength(1);
      }, patience);
    });
    expect(await meanwhile).toBe('busy');
    expect(await store.begin(key, 'c')).toBe('done');
  });

  it('responds with 200 when a handler finds that another run was first', async () => {
    const logger = recordingLogger();
    const handler = createWebhookHandler({
      secret,
      dedupe: store,
      logger,
      on: {
        async 'transaction.completed'() {
          await credit();
          await credit();
        },
      },
    });
    expect((await handler(delivery({ reference: 'TXN-1' }))).status).toBe(200);
    expect((await handler(delivery({ reference: 'TXN-1' }))).status).toBe(200);
    expect([await credits(), logger.lines]).toEqual([1, []]);
  });

  it('deletes expired rows and no others', async () => {
    await store.begin('old claim');
    await store.done('old event');
    await pool.query(`UPDATE ${name}.events SET expires_at = clock_timestamp()`);
    await store.begin('claim');
    await store.done('event');
    await store.deleteExpired();
    const left = await pool.query(`SELECT key FROM ${name}.events ORDER BY key`);
    expect(left.rows).toEqual([{ key: 'claim' }, { key: 'event' }]);
  });

  it('provides the statements that create its table for migrations', async () => {
    const other = postgresDedupe(pool, { schema: name, table: 'Migrated' });
    for (const statement of other.ddl) await pool.query(statement);
    expect(await other.begin('key')).toBe('new');
  });

  it('starts with a role that may not create tables, once they exist', async () => {
    const client = await pool.connect();
    try {
      await client.query(`CREATE ROLE ${name}_reader; GRANT USAGE ON SCHEMA ${name} TO ${name}_reader`);
      await client.query(`SET ROLE ${name}_reader`);
      await postgresDedupe(client, { schema: name, table: 'events' }).createTables();
      const missing = postgresDedupe(client, { schema: name, table: 'other' });
      await expect(missing.createTables()).rejects.toMatchObject({ code: '42501' });
    } finally {
      await client.query(
        `RESET ROLE; REVOKE ALL ON SCHEMA ${name} FROM ${name}_reader; DROP ROLE ${name}_reader`,
      );
      client.release();
    }
  });
});
