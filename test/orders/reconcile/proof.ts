import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { sqliteOrderStore } from '../../../src/orders/index.js';
import type { OrderStore } from '../../../src/orders/store.js';
import { openSqlite } from '../support/sqlite.js';
import { foundIn, type PlannedOrder, plantBooks, plants, sorted } from './planted-books.js';

/**
 * The reconciliation at full size: `npm run chaos -- books`, or `npm run chaos -- books --orders 5000 --seed 7`. It sells on the sandbox, makes one order of twenty wrong in
 * every known way, and compares what is found with what was planted. The exit code is 1 when a difference is missing or invented.
 */
const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const count = Number(values.orders);
const seed = Number(values.seed);
console.log(`${count} orders, --seed ${seed}`);

const plan = fc.record<PlannedOrder>({
  plant: fc.oneof(
    { weight: 19, arbitrary: fc.constant('nothing' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...plants) },
  ),
  fails: fc.integer({ min: 0, max: 9 }).map((digit) => digit === 0),
  amount: fc.integer({ min: 5_000, max: 2_000_000 }).map((kobo) => kobo / 100),
});
const startedAt = performance.now();
const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
const tell = (done: number, what: string) => {
  if (done > 0 && done % 10_000 === 0) console.log(`${seconds()}: ${done} ${what}`);
};

const database = openSqlite(':memory:');
const books = await plantBooks(
  fc.sample(plan, { seed, numRuns: count }),
  (now): OrderStore<unknown> => sqliteOrderStore(database, { now }),
  { withKeys: seed % 2 === 0, onSold: (sold) => tell(sold, 'sold') },
);
console.log(`${seconds()}: ${books.expected.length} differences were planted`);
const report = await books.reconcile();
await books.close();

/** The texts of a list that another one does not have. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return texts.filter((text) => !known.has(text));
}

const found = foundIn(report);
const expected = sorted(books.expected);
const missing = without(expected, found);
const invented = without(found, expected);
const { balance, expectedBalance } = report.statement ?? {};
console.log(
  `${seconds()}: ${report.orders} orders compared, ${found.length} differences found, ${missing.length} missing, ${invented.length} invented`,
);
console.log(
  `balance ${balance} NGN; ${expectedBalance} NGN should remain, and ${books.expectedBalance} NGN by the plan`,
);
for (const text of missing.slice(0, 20)) console.log(`missing: ${text}`);
for (const text of invented.slice(0, 20)) console.log(`invented: ${text}`);
const isRight = found.join() === expected.join() && expectedBalance === books.expectedBalance;
process.exitCode = isRight ? 0 : 1;
