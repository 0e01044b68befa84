/**
 * A bulk run over many items in an SQLite file, against a service within the process. Arguments: file, count. Prints the heap in bytes after
 * the first fifth of the items and at the end.
 */
import { setImmediate } from 'node:timers/promises';
import { type PurchaseItem, purchaseAll } from '../../../../src/bulk/index.js';
import { BillPay } from '../../../../src/client.js';
import { sqliteOrderStore } from '../../../../src/orders/index.js';
import { openSqlite } from '../../../orders/support/sqlite.js';
import { acceptance } from '../../../support/envelopes.js';

const [path, count] = process.argv.slice(2);
if (!path || !count || !global.gc) throw new Error('arguments are missing');
const items = Number(count);

const billpay = new BillPay({
  baseUrl: 'http://127.0.0.1/api/v1',
  apiKey: 'sk_memory_1',
  clientId: 'client-1',
  logLevel: 'off',
  fetch: async (_input, init) => {
    // A turn of the event loop, as a network takes: without one, nothing that finalizers hold is freed.
    await setImmediate();
    const { recipient, amount, idempotency_key } = JSON.parse(String(init?.body));
    const body = acceptance({ reference: `TXN-${idempotency_key}`, recipient, amount });
    return Response.json(body, { status: 202 });
  },
});
const database = openSqlite(path);
database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');

function* rows(): Generator<PurchaseItem> {
  for (let i = 0; i < items; i++) {
    yield {
      product: 'airtime',
      params: { biller: 'MTN', recipient: `080${String(31_000_000 + i)}`, amount: 50 + (i % 7) },
      idempotency_key: `row-${i}`,
    };
  }
}

const heap: number[] = [];
const look = async () => {
  for (let i = 0; i < 3; i++) {
    await setImmediate();
    global.gc?.();
  }
  heap.push(process.memoryUsage().heapUsed);
};
let results = 0;
const summary = await purchaseAll(billpay, rows(), {
  store: sqliteOrderStore(database),
  run: 'memory',
  concurrency: 16,
  onItem: async () => {
    results++;
    if (results === items / 5 || results === items) await look();
  },
});
process.stdout.write(JSON.stringify({ heap, accepted: summary.accepted }));
