import { Client, Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/base.js';
import {
  AlreadyHandledError,
  createWebhookHandler,
  type PostgresDedupeStore,
  postgresDedupe,
  RetryLaterError,
  type TransactionCompletedEvent,
} from '../../../src/webhooks/index.js';
import { delivery, recordingLogger, secret } from '../../webhooks/deliveries.js';
import { postgresUrl } from '../../webhooks/stores.js';

type Handle = (client: PoolClient, event: TransactionCompletedEvent) => unknown;

const key = 'transaction.completed:TXN-1';
const event = { event: 'transaction.completed', data: { reference: 'TXN-1' } } as TransactionCompletedEvent;
const context = { key };

describe('the statements of a transaction', () => {
  /** A pool whose queries and releases are recorded, and whose queries fail as a test wants. */
  function recordingPool(fails: (text: string) => unknown = () => undefined) {
    const calls: string[] = [];
    const client = {
      async query(text: string) {
        calls.push(text.split('\n')[0] ?? '');
        const failure = fails(text);
        if (failure) throw failure;
        return { rows: [{}] };
      },
      release: (destroy?: boolean) => void calls.push(`release ${destroy}`),
    };
    const connect = async () => client;
    return { calls, client, pool: { query: client.query, connect } };
  }

  it.each(['BEGIN', 'RELEASE', 'INSERT', 'COMMIT'])('end in ROLLBACK when %s fails', async (statement) => {
    const failure = new Error('connection lost');
    const { calls, pool } = recordingPool((text) => text.startsWith(statement) && failure);
    const error = await Promise.resolve(
      postgresDedupe(pool).transaction(() => undefined)(event, context),
    ).catch((thrown: unknown) => thrown);
    expect(error).toBe(failure);
    expect(calls.slice(-2)).toEqual(['ROLLBACK', 'release false']);
  });

  it('destroy the connection when ROLLBACK fails too, and report the first failure', async () => {
    const { calls, pool } = recordingPool((text) => /^(COMMIT|ROLLBACK)/.test(text) && new Error(text));
    const handle = postgresDedupe(pool).transaction(() => undefined);
    await expect(handle(event, context)).rejects.toThrow('COMMIT');
    expect(calls.at(-1)).toBe('release true');
  });

  it('are not begun without a connection', async () => {
    const pool = {
      query: async () => ({ rows: [] }),
      connect: () => Promise.reject(new Error('pool is full')),
    };
    const handle = postgresDedupe(pool).transaction(() => expect.unreachable());
    await expect(handle(event, context)).rejects.toThrow('pool is full');
  });

  it('count although the connection cannot be released', async () => {
    const { client, pool } = recordingPool();
    client.release = () => {
      throw new Error('released twice');
    };
    await postgresDedupe(pool).transaction(() => undefined)(event, context);
  });

  it('need a pool', async () => {
    const { client, pool } = recordingPool();
    const query = client.query;
    for (const single of [{ query }, { query, connect: 7 }, { ...pool, release: () => undefined }]) {
      const make = () => postgresDedupe(single).transaction(() => undefined);
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow('pool: must be a Pool with connect() for `transaction`');
    }
    for (const connection of [undefined, { query }]) {
      const handle = postgresDedupe({ query, connect: async () => connection }).transaction(() => undefined);
      await expect(handle(event, context)).rejects.toThrow(
        'pool: must be a Pool, whose connect() returns connections that can be released',
      );
    }
  });

  it('listen for a lost connection until it is released', async () => {
    const { client, pool } = recordingPool();
    const listeners = new Set<unknown>();
    let during = 0;
    Object.assign(client, {
      on: (name: string, listener: () => void) => {
        expect(name).toBe('error');
        listener();
        listeners.add(listener);
      },
      off: (name: string, listener: unknown) => {
        expect(name).toBe('error');
        listeners.delete(listener);
      },
    });
    const handle = postgresDedupe(pool).transaction(() => {
      during = listeners.size;
    });
    await handle(event, context);
    expect([during, listeners.size]).toEqual([2, 0]);
  });
});

const title = postgresUrl ? 'on a real PostgreSQL' : '(skipped: BILLPAY_TEST_POSTGRES_URL is not set)';

describe.skipIf(!postgresUrl)(`postgresDedupe ${title}`, () => {
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`;
  let pool: Pool;
  let dedupe: PostgresDedupeStore<PoolClient>;
  /** For what another connection does, however slow the machine is. */
  const patience = 15_000;

  beforeAll(async () => {
    pool = new Pool({ connectionString: postgresUrl! });
    await pool.query(`CREATE SCHEMA ${name}; CREATE TABLE ${name}.credits (reference text)`);
    dedupe = postgresDedupe(pool, { schema: name, table: 'events' });
    await Promise.all(Array.from({ length: 5 }, () => dedupe.createTables()));
  });
  beforeEach(() => pool.query(`TRUNCATE ${name}.events, ${name}.credits`));
  afterAll(async () => {
    await pool.query(`DROP SCHEMA ${name} CASCADE`);
    await pool.end();
  });

  const insert = (client: PoolClient, reference = 'TXN-1') =>
    client.query(`INSERT INTO ${name}.credits VALUES ($1)`, [reference]);
  const credits = async () =>
    (await pool.query<{ reference: string }>(`SELECT * FROM ${name}.credits`)).rows.map(
      ({ reference }) => reference,
    );

  /** Effect and mark in a transaction of the caller's own. */
  async function credit(beforeCommit: () => unknown = () => undefined): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await insert(client);
      await dedupe.withTransaction(client).done(key);
      await beforeCommit();
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }

  function receiver(handle: Handle) {
    const logger = recordingLogger();
    const on = { 'transaction.completed': dedupe.transaction(handle) };
    const handler = createWebhookHandler({ secret, dedupe, logger, on });
    return { deliver: async () => (await handler(delivery())).status, logger };
  }

  it('commits the effect together with the mark, and runs the handler once', async () => {
    let runs = 0;
    const { deliver, logger } = receiver(async (client, { data }) => {
      runs += 1;
      await insert(client, data.reference);
    });
    expect([await deliver(), await deliver(), runs]).toEqual([200, 200, 1]);
    expect([await credits(), logger.lines]).toEqual([['TXN-1'], []]);
  });

  it('leaves neither effect nor mark when the handler throws, and handles the next delivery', async () => {
    const failures = [new Error('no stock'), new RetryLaterError('no order yet')];
    const { deliver } = receiver(async (client) => {
      await insert(client);
      const failure = failures.shift();
      if (failure) throw failure;
    });
    expect([await deliver(), await credits()]).toEqual([500, []]);
    expect([await deliver(), await credits()]).toEqual([503, []]);
    expect([await deliver(), await credits()]).toEqual([200, ['TXN-1']]);
  });

  it.each<[string, Handle]>([
    ['catches an SQL error', (client) => client.query('SELECT 1 / 0').catch(() => undefined)],
    ['rolls back', (client) => client.query('ROLLBACK')],
    ['rolls back and begins again', (client) => client.query('ROLLBACK; BEGIN')],
  ])('never marks an event whose handler %s', async (_, misbehave) => {
    let misbehaves = true;
    const { deliver, logger } = receiver(async (client, event) => {
      await insert(client);
      if (misbehaves) await misbehave(client, event);
    });
    expect([await deliver(), await credits()]).toEqual([500, []]);
    expect(logger.lines[0]).toMatch(/ended the transaction by itself, or caught the error/);
    misbehaves = false;
    expect([await deliver(), await credits()]).toEqual([200, ['TXN-1']]);
  });

  it('survives a connection that is lost while the handler runs', async () => {
    let loses = true;
    const { deliver } = receiver(async (client) => {
      await insert(client);
      if (!loses) return;
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const lost = new Promise((resolve) => client.once('end', resolve));
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await lost;
    });
    expect([await deliver(), await credits()]).toEqual([500, []]);
    loses = false;
    expect([await deliver(), await credits()]).toEqual([200, ['TXN-1']]);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it.each<[string, () => unknown]>([
    ['its own transactions', () => dedupe.transaction((client) => insert(client))(event, context)],
    ['those of its caller', () => credit()],
  ])('commits one of several runs that have all lost their lease without knowing, in %s', async (_, run) => {
    const runs = await Promise.allSettled([1, 2, 3].map(run));
    expect(await credits()).toHaveLength(1);
    const refused = runs.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(2);
    for (const error of refused) {
      expect(error).toBeInstanceOf(AlreadyHandledError);
      expect(error).toMatchObject({ name: 'AlreadyHandledError', code: 'ALREADY_HANDLED' });
    }
  });

  it('refuses a single Client, which cannot hold several transactions', async () => {
    const client = new Client({ connectionString: postgresUrl! });
    await client.connect();
    const store = postgresDedupe(client, { schema: name, table: 'events' });
    const logger = recordingLogger();
    const on = { 'transaction.completed': store.transaction(() => expect.unreachable()) };
    const handler = createWebhookHandler({ secret, dedupe: store, logger, on });
    expect((await handler(delivery())).status).toBe(500);
    expect(logger.lines[0]).toMatch(/already been connected|must be a Pool/);
    await client.end();
  });

  it('commits effect and mark together, or neither', async () => {
    await dedupe.begin(key, 'a');
    await expect(credit(() => Promise.reject(new Error('power cut')))).rejects.toThrow('power cut');
    expect([await dedupe.begin(key, 'b'), await credits()]).toEqual(['busy', []]);
    await credit();
    expect([await dedupe.begin(key, 'b'), await credits()]).toEqual(['done', ['TXN-1']]);
  });

  it('returns busy without waiting while a transaction is marking the key', async () => {
    await dedupe.begin(key, 'a');
    await credit(async () => expect(await dedupe.begin(key, 'b')).toBe('busy'));
    expect(await dedupe.begin(key, 'b')).toBe('done');
  });

  it('waits for a transaction that outlived its lease, and does not claim the key that it marks', async () => {
    await dedupe.begin(key, 'a');
    await pool.query(`UPDATE ${name}.events SET expires_at = clock_timestamp()`);
    let meanwhile: Promise<unknown> | undefined;
    await credit(async () => {
      meanwhile = dedupe.begin(key, 'b');
      await vi.waitFor(async () => {
        const waiting = await pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
          [`%${name}%`],
        );
        expect(waiting.rows).toHaveLength(1);
      }, patience);
    });
    expect(await meanwhile).toBe('busy');
    expect(await dedupe.begin(key, 'c')).toBe('done');
  });

  it('responds with 200 when a handler finds that another run was first', async () => {
    const logger = recordingLogger();
    const handler = createWebhookHandler({
      secret,
      dedupe,
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
    expect([await credits(), logger.lines]).toEqual([['TXN-1'], []]);
  });

  it('deletes expired rows and no others', async () => {
    await dedupe.begin('old claim');
    await dedupe.done('old event');
    await pool.query(`UPDATE ${name}.events SET expires_at = clock_timestamp()`);
    await dedupe.begin('claim');
    await dedupe.done('event');
    await dedupe.deleteExpired();
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
