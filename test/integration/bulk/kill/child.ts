/** A bulk run that is killed by its test: COUNT items on the SQLite file FILE. It says when nothing is left. */
import { type PurchaseItem, purchaseAll } from '../../../../src/bulk/index.js';
import { BillPay } from '../../../../src/client.js';
import { sqliteOrderStore } from '../../../../src/orders/index.js';
import { openSqlite } from '../../../orders/support/sqlite.js';

const { FILE, COUNT } = process.env;

const billpay = new BillPay({ maxRetries: 0, logLevel: 'off' });
const database = openSqlite(String(FILE));
// The process is killed, not the machine, so that what the operating system has is not lost.
database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');

function* items(): Generator<PurchaseItem> {
  for (let i = 0; i < Number(COUNT); i++) {
    yield {
      product: 'airtime',
      params: { biller: 'MTN', recipient: `080${String(31_000_000 + i)}`, amount: 50 + (i % 7) },
      idempotency_key: `row-${i}`,
    };
  }
}

const store = sqliteOrderStore(database);
process.send?.('ready');
let left: number;
do {
  const summary = await purchaseAll(billpay, items(), {
    store,
    run: 'kill',
    concurrency: 16,
    // Short, so that what a killed process was buying is continued soon.
    buyTimeout: 1000,
    lease: 1000,
    retryDelay: () => 20,
  });
  left = summary.left.items;
} while (left > 0);
process.send?.('done');
