/** A worker or the receiver of the pg-boss example, meant to be killed. */
import { createServer } from 'node:http';
import { BillPay } from 'billpay';
import { toNodeHandler } from 'billpay/webhooks';
import { Pool } from 'pg';
import PgBoss from 'pg-boss';
import { receiver, sweep } from '../../../examples/queue/pg-boss/settle.js';
import { sharedPacing, work } from '../../../examples/queue/pg-boss/worker.js';
import { limits, sweepAfterMs, sweepEveryMs, times } from './settings.js';

const connectionString = String(process.env['ENGINE_URL']);
const pool = new Pool({ connectionString, max: 6 });
const boss = new PgBoss({ connectionString, max: 4, maintenanceIntervalSeconds: 1, schedule: false });
boss.on('error', () => undefined);
await boss.start();
const billpay = new BillPay({
  pacing: sharedPacing(pool, limits.purchases, limits.requests),
  logLevel: 'off',
  ...times,
});

if (process.env['ROLE'] === 'receiver') {
  const handler = await receiver(pool, String(process.env['BILLPAY_WEBHOOK_SECRET']));
  createServer(toNodeHandler(handler)).listen(Number(process.env['PORT']), '127.0.0.1', () =>
    process.send?.('ready'),
  );
  setInterval(() => sweep(pool, boss, billpay, sweepAfterMs).catch(() => undefined), sweepEveryMs);
} else {
  await work(pool, boss, billpay);
  process.send?.('ready');
}
process.on('disconnect', () => process.exit());
