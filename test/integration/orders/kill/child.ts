/** One process of the kill test: a worker, a receiver or a buyer over one database. */
import { createServer } from 'node:http';
import { BillPay } from 'billpay';
import { bullmqQueue, createOrders, inProcessQueue, pgBossQueue } from 'billpay/orders';
import { databaseOf } from './database.js';

const { ROLE, ENGINE, DATABASE_URL, REDIS_URL, TABLE, BILLPAY_WEBHOOK_SECRET, ORDERS } = process.env;
const table = String(TABLE);
const database = databaseOf(String(DATABASE_URL), table);

/** A major version of an engine, by the name that it is installed under, such as `pg-boss10`. */
const engine = await (ENGINE?.startsWith('in-process') ? undefined : import(String(ENGINE)));

async function queueOf() {
  if (ENGINE?.startsWith('pg-boss')) {
    // Before version 12 the class was the default export.
    const PgBoss = engine.PgBoss ?? engine.default;
    const boss = new PgBoss({ connectionString: String(DATABASE_URL), schema: `${table}_boss` });
    boss.on('error', () => {});
    await boss.start();
    return pgBossQueue(boss, { pollingInterval: 500 });
  }
  if (ENGINE?.startsWith('bullmq')) {
    const { Queue, Worker } = engine;
    const connection = { url: String(REDIS_URL), maxRetriesPerRequest: null };
    const queue = new Queue(table, { connection });
    queue.on('error', () => {});
    return bullmqQueue({ queue, Worker, connection, lockDuration: 2000 });
  }
  return inProcessQueue();
}

const end =
  (kind: string) =>
  async (order: { id: string }, { client }: { client: unknown }) => {
    await database.writeEnd(client, order.id, kind);
  };

const orders = createOrders({
  billpay: new BillPay({ timeout: 1500, totalTimeout: 3000, maxRetries: 1, logLevel: 'off' }),
  store: database.store,
  queue: await queueOf(),
  buyTimeout: 3000,
  lease: 4000,
  lookUpAfter: 2000,
  // pg-boss sweeps once a minute at most; what is due sooner has a job there.
  sweepAfter: ENGINE?.startsWith('pg-boss') ? 60_000 : 500,
  retryDelay: () => 200 + Math.random() * 300,
  reviewAfter: 5000,
  maxAttempts: 10_000,
  on: { delivered: end('delivered'), failed: end('failed'), refused: end('refused') },
  onError: () => {},
});

if (ROLE === 'worker') {
  orders.start();
  process.send?.('ready');
} else if (ROLE === 'receiver') {
  const logger = { info() {}, warn() {}, error() {} };
  const server = createServer(orders.nodeWebhookHandler({ secret: String(BILLPAY_WEBHOOK_SECRET), logger }));
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
} else {
  process.send?.('ready');
  for (const order of JSON.parse(String(ORDERS))) {
    await orders.place(order);
    if (order.id.endsWith('0') || order.id.endsWith('5')) await orders.buy(order.id);
  }
  process.send?.('done');
}
process.on('disconnect', () => process.exit());
