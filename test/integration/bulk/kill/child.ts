/** A bulk run that is killed by its test. Arguments: base address, key, client id, journal, count. Prints one line per outcome. */
import { type BulkItem, fileJournal, purchaseAll } from '../../../../src/bulk/index.js';
import { BillPay } from '../../../../src/client.js';

const [baseUrl, apiKey, clientId, path, count] = process.argv.slice(2);
if (!baseUrl || !apiKey || !clientId || !path || !count) throw new Error('arguments are missing');

const billpay = new BillPay({ baseUrl, apiKey, clientId, maxRetries: 0, timeout: 5000, logLevel: 'off' });

function* items(): Generator<BulkItem> {
  for (let i = 0; i < Number(count); i++) {
    yield {
      product: 'airtime',
      params: { biller: 'MTN', recipient: `080${String(31_000_000 + i)}`, amount: 50 + (i % 7) },
      idempotency_key: `row-${i}`,
    };
  }
}

const run = purchaseAll(billpay, items(), { journal: fileJournal(path), concurrency: 16 });
for await (const { status } of run) process.stdout.write(`${status}\n`);
process.stdout.write(`${JSON.stringify(await run.summary())}\n`);
