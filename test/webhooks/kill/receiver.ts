/** One receiver process of the kill test. Its effects go to the same engine as its de-duplication. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { createClient } from 'redis';
import {
  createWebhookHandler,
  type DedupeStore,
  postgresDedupe,
  redisDedupe,
  toNodeHandler,
  type WebhookEventHandler,
} from '../../../src/webhooks/index.js';
import { chooser } from './dedupe-store.js';

const { ENGINE, ENGINE_URL, NAMES, LEASE, SECRET, INCARNATION, SEED } = process.env;
const names = String(NAMES);
const lease = Number(LEASE);
const incarnation = String(INCARNATION);
const choose = chooser(
  [...incarnation].reduce((mixed, letter) => mixed * 31 + letter.charCodeAt(0), Number(SEED)),
);

interface Engine {
  readonly dedupe: DedupeStore;
  effect(reference: string, key: string): Promise<void>;
}

async function redisEngine(): Promise<Engine> {
  const client = createClient({ url: String(ENGINE_URL) });
  await client.connect();
  return {
    dedupe: redisDedupe(client, { prefix: `${names}:`, lease }),
    async effect(reference) {
      const [seconds, microseconds] = await client.time();
      const at = Number(seconds) * 1000 + Number(microseconds) / 1000;
      await client.rPush(`${names}:effects:${reference}`, `${incarnation} ${at}`);
    },
  };
}

async function postgresEngine(): Promise<Engine> {
  const pool = new Pool({ connectionString: String(ENGINE_URL), max: 8 });
  const dedupe = postgresDedupe(pool, { table: `${names}_events`, lease });
  return {
    dedupe,
    async effect(reference, key) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(`INSERT INTO ${names}_effects VALUES ($1, $2)`, [reference, incarnation]);
        await delay(choose() * 5);
        await dedupe.withTransaction(client).done(key);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

const { dedupe, effect } = await (ENGINE === 'redis' ? redisEngine() : postgresEngine());

/** Kills fall anywhere: before the effect, after it, before the mark; and now and then a handler fails by itself. */
const handle: WebhookEventHandler<{ data: { reference: string } }> = async ({ data }, { key }) => {
  await delay(choose() * 10);
  if (choose() < 0.03) throw new Error('a passing failure');
  await effect(data.reference, key);
  await delay(choose() * 10);
};

const handler = createWebhookHandler({
  secret: String(SECRET),
  dedupe,
  logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  on: { 'transaction.completed': handle, 'transaction.failed': handle },
});

const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
