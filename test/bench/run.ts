import { loadavg } from 'node:os';
import { measureCalls, measureColdStart } from './calls.js';
import { lineOf, type Result } from './measure.js';
import { measureOrders } from './orders.js';
import { measureSandbox } from './sandbox.js';
import { measureVerification } from './verification.js';

/**
 * Prints what the built package costs, as ratios to what one would use instead: `npm run bench`, or some parts: `npm run bench -- calls orders`.
 * BENCH_ROUNDS is the number of rounds (5), BENCH_PACKAGE the folder of another built version.
 */
const parts: Readonly<Record<string, (rounds: number) => Promise<readonly Result[]>>> = {
  calls: measureCalls,
  cold: measureColdStart,
  verification: measureVerification,
  orders: measureOrders,
  sandbox: measureSandbox,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);

const count = Number(process.env['BENCH_ROUNDS'] ?? 5);
console.log(`Node ${process.versions.node}, ${count} rounds, load ${loadavg()[0]?.toFixed(1)}\n`);
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const result of await measure(count)) console.log(lineOf(result));
}
// pg-boss and BullMQ leave timers behind when they are stopped in haste.
process.exit(0);
