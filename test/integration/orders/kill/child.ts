/**
 * One process of the kill test, in the roles that it is given: a worker, a receiver, a buyer. A shop on SQLite is one process in all of them, and
 * answers the test there as a person's tools would, because its file has no other reader.
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { BillPay } from 'billpay';
import { bullmqQueue, createOrders, inProcessQueue, pgBossQueue } from 'billpay/orders';
import { databaseOf } from './database.js';
import { review } from './workload.js';

const {
  ROLES = '',
  ENGINE = '',
  DATABASE_URL,
  REDIS_URL,
  TABLE,
  BILLPAY_WEBHOOK_SECRET,
  ORDERS,
} = process.env;
const table = String(TABLE);
const database = databaseOf(String(DATABASE_URL), table);

async function queueOf() {
  if (ENGINE.startsWith('in-process')) return inProcessQueue();
  /** A major version of an engine, by the name that it is installed under, such as `pg-boss10`. */
  const engine = await import(ENGINE);
  if (ENGINE.startsWith('pg-boss')) {
    // Before version 12 the class was the default export.
    const PgBoss = engine.PgBoss ?? engine.default;
    const boss = new PgBoss({ connectionString: String(DATABASE_URL), schema: `${table}_boss` });
    boss.on('error', () => {});
    await boss.start();
    return pgBossQueue(boss);
  }
  const { Queue, Worker } = engine;
  const connection = { url: String(REDIS_URL), maxRetriesPerRequest: null };
  const queue = new Queue(table, { connection });
  queue.on('error', () => {});
  return bullmqQueue({ queue, Worker, connection, lockDuration: 2000 });
}

const end =
  (kind: string) =>
  (order: { id: string }, { client }: { client: unknown }) =>
    database.writeEnd(client, order.id, kind);

const orders = createOrders({
  billpay: new BillPay({ timeout: 1500, totalTimeout: 3000, maxRetries: 1, logLevel: 'off' }),
  store: database.store,
  queue: await queueOf(),
  buyTimeout: 3000,
  lease: 4000,
  checkAfter: 2000,
  // pg-boss sweeps once a minute at most; what is due sooner has a job there.
  sweepInterval: ENGINE.startsWith('pg-boss') ? 60_000 : 500,
  retryDelay: () => 200 + Math.random() * 300,
  reviewAfter: 5000,
  maxAttempts: 10_000,
  on: { delivered: end('delivered'), failed: end('failed'), refused: end('refused') },
  onError: () => {},
});

if (ROLES.includes('worker')) orders.start();
if (ROLES.includes('receiver')) {
  const logger = { info() {}, warn() {}, error() {} };
  const receive = orders.nodeWebhookHandler({ secret: String(BILLPAY_WEBHOOK_SECRET), logger });
  const server = createServer((request, response) => {
    if (request.url !== '/review') {
      receive(request, response);
      return;
    }
    json(request)
      .then((sold) => review(orders, sold as string[]))
      .then((count) => response.end(JSON.stringify(count)))
      .catch((error) => response.writeHead(409).end(String(error)));
  });
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
} else process.send?.('ready');
process.on('disconnect', () => process.exit());

if (ROLES.includes('buyer')) {
  for (const order of JSON.parse(String(ORDERS))) {
    await orders.place(order);
    if (order.id.endsWith('0') || order.id.endsWith('5')) await orders.buy(order.id);
  }
  process.send?.('done');
}
