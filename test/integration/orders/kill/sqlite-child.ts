/** The one process of a shop on SQLite: it places orders, buys, works, and receives webhooks. */
import { createServer } from 'node:http';
import { BillPay } from 'billpay';
import { createOrders, type OrderInput, sqliteOrderStore } from 'billpay/orders';
import { openSqlite } from '../../../orders/support/sqlite.js';

const { FILE, BILLPAY_WEBHOOK_SECRET, ORDERS } = process.env;
const database = openSqlite(String(FILE));
// node-sqlite3-wasm never rolls a journal back after a crash, because it takes its own lock for that of a living writer: a
// write-ahead log needs no rollback. The process is killed, not the machine, so that what the operating system has is not lost.
database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
database.exec('CREATE TABLE IF NOT EXISTS ends (id TEXT NOT NULL, kind TEXT NOT NULL)');

const end = (kind: string) => (order: { id: string }, context: { client: typeof database }) => {
  context.client.prepare('INSERT INTO ends (id, kind) VALUES (?, ?)').run(order.id, kind);
};

const orders = createOrders({
  billpay: new BillPay({ timeout: 1500, totalTimeout: 3000, maxRetries: 1, logLevel: 'off' }),
  store: sqliteOrderStore(database),
  buyTimeout: 3000,
  lease: 4000,
  lookUpAfter: 2000,
  sweepAfter: 500,
  retryDelay: () => 200 + Math.random() * 300,
  reviewAfter: 5000,
  maxAttempts: 10_000,
  on: { delivered: end('delivered'), failed: end('failed'), refused: end('refused') },
  onError: () => {},
});

const logger = { info() {}, warn() {}, error() {} };
const receive = orders.nodeWebhookHandler({ secret: String(BILLPAY_WEBHOOK_SECRET), logger });

/** What the test asks as a person: how the orders stand, and to end a review. */
async function operate(url: URL): Promise<unknown> {
  const id = url.searchParams.get('id');
  if (id === null) {
    const { count } = await orders.stats();
    const inReview = await orders.list({ state: 'review', limit: 1000 });
    return { count, review: inReview.map((order) => order.id) };
  }
  if (url.searchParams.get('sold') === 'true') return orders.retry(id);
  return orders.resolve(id, { as: 'refused', note: 'the service has no sale of this key' });
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (url.pathname !== '/operator') {
    receive(request, response);
    return;
  }
  operate(url).then(
    (body) => response.end(JSON.stringify(body)),
    (error) => response.writeHead(409).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
orders.start();
process.on('disconnect', () => process.exit());

for (const order of JSON.parse(String(ORDERS)) as OrderInput[]) {
  await orders.place(order);
  if (order.id.endsWith('0') || order.id.endsWith('5')) await orders.buy(order.id);
}
process.send?.('done');
