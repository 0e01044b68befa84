/** One receiver process of the kill test. Its effects go to the same engine as its de-duplication. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { createClient } from 'redis';
import {
  createWebhookHandler,
  type DedupeStore,
  type KnownWebhookEvent,
  postgresDedupe,
  redisDedupe,
  toNodeHandler,
  type WebhookEventHandler,
} from '../../../../src/webhooks/index.js';

const { ENGINE, ENGINE_URL, NAMES, LEASE, SECRET, NAME, LIFE } = process.env;
const names = String(NAMES);
const lease = Number(LEASE);
const incarnation = `${NAME}${LIFE}`;

/** Handles one event. A kill may come at any point: before the effect, after it, before the mark. Sometimes the handler fails without a kill. */
type Handle = WebhookEventHandler<KnownWebhookEvent>;

interface Engine {
  readonly dedupe: DedupeStore;
  readonly handle: Handle;
}

const around = async (effect: () => Promise<unknown>): Promise<void> => {
  await delay(Math.random() * 10);
  if (Math.random() < 0.03) throw new Error('a passing failure');
  await effect();
  await delay(Math.random() * 10);
};

async function redisEngine(): Promise<Engine> {
  const client = createClient({ url: String(ENGINE_URL) });
  await client.connect();
  return {
    dedupe: redisDedupe(client, { prefix: `${names}:`, lease }),
    handle: ({ data }) =>
      around(async () => {
        const [seconds, microseconds] = await client.time();
        const at = Number(seconds) * 1000 + Number(microseconds) / 1000;
        await client.rPush(`${names}:effects:${data.reference}`, `${incarnation} ${at}`);
      }),
  };
}

async function postgresEngine(): Promise<Engine> {
  const pool = new Pool({ connectionString: String(ENGINE_URL), max: 8 });
  const dedupe = postgresDedupe(pool, { table: `${names}_events`, lease });
  const insert = (client: PoolClient, { data }: KnownWebhookEvent) =>
    client.query(`INSERT INTO ${names}_effects VALUES ($1, $2)`, [data.reference, incarnation]);

  /** The same with a transaction of the caller. */
  const inOwnTransaction: Handle = (event, { key }) =>
    around(async () => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await insert(client, event);
        await delay(Math.random() * 5);
        await dedupe.withTransaction(client).done(key);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    });
  const inTransaction: Handle = dedupe.transaction((client, event) => around(() => insert(client, event)));
  return { dedupe, handle: incarnation.startsWith('a') ? inTransaction : inOwnTransaction };
}

const { dedupe, handle } = await (ENGINE === 'redis' ? redisEngine() : postgresEngine());

const handler = createWebhookHandler({
  secret: String(SECRET),
  dedupe,
  logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  on: { 'transaction.completed': handle, 'transaction.failed': handle },
});

const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
