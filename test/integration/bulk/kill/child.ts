/** A bulk run that is killed by its test. Arguments: SQLite file, count. Prints one line per result. */
import { type PurchaseItem, purchaseAll } from '../../../../src/bulk/index.js';
import { BillPay } from '../../../../src/client.js';
import { sqliteOrderStore } from '../../../../src/orders/index.js';
import { openSqlite } from '../../../orders/support/sqlite.js';

const [path, count] = process.argv.slice(2);
if (!path || !count) throw new Error('arguments are missing');

const billpay = new BillPay({ maxRetries: 0, logLevel: 'off' });
const database = openSqlite(path);
// The process is killed, not the machine, so that what the operating system has is not lost.
database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');

function* items(): Generator<PurchaseItem> {
  for (let i = 0; i < Number(count); i++) {
    yield {
      product: 'airtime',
      params: { biller: 'MTN', recipient: `080${String(31_000_000 + i)}`, amount: 50 + (i % 7) },
      idempotency_key: `row-${i}`,
    };
  }
}

const summary = await purchaseAll(billpay, items(), {
  store: sqliteOrderStore(database),
  run: 'kill',
  concurrency: 16,
  // Short, so that what a killed process was buying is continued soon.
  buyTimeout: 1000,
  lease: 1000,
  retryDelay: () => 20,
  onItem: ({ status }) => process.stdout.write(`${status}\n`),
});
process.stdout.write(`${JSON.stringify(summary)}\n`);
