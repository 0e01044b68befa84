/**
 * Buys airtime for everybody in a CSV file, and survives crashes, Ctrl-C and an empty wallet:
 *
 *   npx billpay sandbox --rate-limits        # in another terminal; paste its .env block here
 *   npx tsx examples/bulk-airtime.ts examples/bulk-airtime.csv
 *
 * The file has the columns order_id, biller, recipient, amount. Run the same command again to continue where it stopped: the SQLite file
 * beside it holds the orders, and nothing is bought twice. `--yes` skips the question.
 */
import { createInterface } from 'node:readline/promises';
import { BillPay, isBillPayError } from 'billpay';
import { type BulkSummary, type PurchaseItem, purchaseAll } from 'billpay/bulk';
import { sqliteOrderStore } from 'billpay/orders';
import { showProgress } from './bulk-airtime/progress.js';
import { writeResult } from './bulk-airtime/result.js';
import { readRows, survey } from './bulk-airtime/rows.js';
import { openSqlite } from './shop/sqlite.js';

const naira = (amount: number) => `${amount.toLocaleString('en-NG', { minimumFractionDigits: 2 })} NGN`;

async function main(csv: string, yes: boolean): Promise<number> {
  // A call may have to wait for its turn for several minutes; totalTimeout leaves room for that.
  const billpay = new BillPay({ pacing: true, totalTimeout: 600_000 });
  const { count, total, problems } = await survey(csv);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    console.error(
      `\n${problems.length} problems in ${csv}. Nothing was bought; correct the file and run again.`,
    );
    return 1;
  }
  console.log(
    `${count} top-ups, ${naira(total)} in all, from the wallet of ${process.env['BILLPAY_CLIENT_ID']}.`,
  );
  if (!yes && !(await agreed())) {
    console.log('Nothing was bought.');
    return 1;
  }

  const controller = new AbortController();
  process.once('SIGINT', () => {
    console.log('\nStopping: waiting for the purchases under way. Press Ctrl-C again to end at once.');
    controller.abort();
  });
  const store = sqliteOrderStore(await openSqlite(`${csv}.db`));
  const progress = showProgress(count, process.stdout.isTTY === true);
  const notBought: string[] = [];
  const summary = await purchaseAll(billpay, itemsOf(csv), {
    store,
    run: csv,
    concurrency: 8,
    buyTimeout: 600_000,
    signal: controller.signal,
    onItem(result) {
      progress.update(result);
      const { item, status, error, next } = result;
      if (status !== 'accepted')
        notBought.push(`${item.idempotency_key}: ${status}. ${error?.message ?? ''} ${next}`);
    },
  });
  progress.end();

  const result = `${csv}.result.csv`;
  await writeResult(csv, store, result);
  for (const line of notBought.slice(0, 20)) console.log(line);
  console.log(report(summary, progress.spent(), result));
  return summary.stopped || notBought.length > 0 ? 1 : 0;
}

async function* itemsOf(csv: string): AsyncGenerator<PurchaseItem> {
  for await (const { item } of readRows(csv)) yield item;
}

async function agreed(): Promise<boolean> {
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await ask.question('Buy them now? (yes/no) ');
  ask.close();
  return /^y(es)?$/i.test(answer.trim());
}

function report(
  { accepted, refused, review, invalid, removed, skipped, left, stopped }: BulkSummary,
  spent: string,
  result: string,
): string {
  const lines = [
    `\n${accepted} bought for ${spent}, ${skipped} done before, ${refused + invalid + removed} not bought, ${review} to be reviewed. See ${result}.`,
  ];
  if (stopped) lines.push(`Stopped: ${stopped.error?.message ?? 'run again to continue.'}`);
  if (left.items > 0) lines.push(`${left.items} top-ups are left: run again.`);
  if (left.unknown > 0)
    lines.push(`${left.unknown} may have been bought: run again to resume these purchases under their keys.`);
  return lines.join('\n');
}

const [csv, ...flags] = process.argv.slice(2);
if (!csv) {
  console.error('usage: npx tsx examples/bulk-airtime.ts FILE.csv [--yes]');
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await main(csv, flags.includes('--yes'));
  } catch (error) {
    console.error(isBillPayError(error) ? `${error.name}: ${error.message}` : error);
    process.exitCode = 1;
  }
}
