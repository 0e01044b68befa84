/**
 * Orders on PostgreSQL and pg-boss, for any number of machines that share one rate limit:
 *
 *   npx billpay sandbox --rate-limits --webhook-url http://127.0.0.1:3000/     # in a terminal; paste its .env block into the others
 *   npx tsx examples/queue/pg-boss.ts receiver                                 # with BILLPAY_WEBHOOK_SECRET
 *   npx tsx examples/queue/pg-boss.ts worker                                   # any number of them; kill them as you like
 *   npx tsx examples/queue/pg-boss.ts order MTN 08031234567 500
 *
 * DATABASE_URL says where PostgreSQL is.
 */
import { BillPay } from 'billpay';
import { createOrders, pgBossQueue, postgresOrderStore } from 'billpay/orders';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { play } from './roles.js';

const connectionString = process.env['DATABASE_URL'] ?? '';
const pool = new Pool({ connectionString });
const boss = new PgBoss(connectionString);
boss.on('error', console.error);
await boss.start();
const store = postgresOrderStore(pool);
await store.createTables();
// The lock lasts for both statements: processes that create a table at the same time would fail, despite IF NOT EXISTS.
await pool.query(`SELECT pg_advisory_xact_lock(hashtext('rate_limits'));
CREATE TABLE IF NOT EXISTS rate_limits (key text PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)`);

/** Points in a minute, counted in the database for all machines together. */
const limiter = (keyPrefix: string, points: number) =>
  new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix,
    points,
    duration: 60,
  });

const orders = createOrders({
  billpay: new BillPay({
    pacing: { purchases: limiter('purchases', 20), requests: limiter('requests', 60) },
  }),
  store,
  queue: pgBossQueue(boss),
  on: {
    delivered: ({ id }) => console.log(`order ${id} is delivered`),
    failed: ({ id }) => console.log(`order ${id} failed and was refunded`),
    refused: ({ id, lastError }) => console.log(`order ${id} was refused: ${lastError?.message}`),
  },
});
await play(orders, async () => {
  await boss.stop();
  await pool.end();
});
