/**
 * Orders sold through a queue in PostgreSQL, by any number of workers that share one rate limit:
 *
 *   npx billpay-sandbox --rate-limits --webhook-url http://127.0.0.1:3000/     # in a terminal; paste its .env block into the others
 *   npx tsx examples/queue/pg-boss.ts receiver                                 # with BILLPAY_WEBHOOK_SECRET
 *   npx tsx examples/queue/pg-boss.ts worker                                   # any number of them; kill them as you like
 *   npx tsx examples/queue/pg-boss.ts order MTN 08031234567 500
 *
 * DATABASE_URL says where PostgreSQL is.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { BillPay } from 'billpay';
import { toNodeHandler } from 'billpay/webhooks';
import { Pool } from 'pg';
import PgBoss from 'pg-boss';
import { place, prepare } from './pg-boss/schema.js';
import { receiver, sweep } from './pg-boss/settle.js';
import { sharedPacing, work } from './pg-boss/worker.js';

const [role = '', biller, recipient, amount] = process.argv.slice(2);
if (!['worker', 'receiver', 'order'].includes(role) || (role === 'order' && !amount)) {
  console.error('usage: pg-boss.ts worker | receiver | order BILLER RECIPIENT AMOUNT');
  process.exit(2);
}

const { DATABASE_URL: connectionString = '', BILLPAY_WEBHOOK_SECRET: secret, PORT = '3000' } = process.env;
const pool = new Pool({ connectionString });
const boss = new PgBoss({ connectionString, maintenanceIntervalSeconds: 30 });
boss.on('error', console.error);
await boss.start();
await prepare(pool, boss);

if (role === 'order' && biller && recipient) {
  const id = randomUUID();
  await place(pool, boss, { id, biller, recipient, amount: Number(amount) });
  console.log(`order ${id} is placed`);
  await boss.stop();
  await pool.end();
} else if (role === 'worker') {
  await work(pool, boss, new BillPay({ pacing: sharedPacing(pool) }));
} else if (role === 'receiver') {
  createServer(toNodeHandler(await receiver(pool, secret))).listen(Number(PORT));
  const billpay = new BillPay({ pacing: sharedPacing(pool) });
  setInterval(() => sweep(pool, boss, billpay).catch(console.error), 300_000);
}
