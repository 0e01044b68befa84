/**
 * Purchases through a bad network, by seed.
 *
 * npm run chaos                                  200 seeds of 2,000 purchases
 * npm run chaos -- --seeds 5                     the first five
 * npm run chaos -- --seed 17                     repeat one
 * npm run chaos -- --transport node              over nodeTransport
 * also: --purchases 500, --parallel 8 (runs at the same time), --timeout 300 (ms for an attempt; measured by default)
 */
import { parseArgs } from 'node:util';
import { type RunReport, runSeed } from './purchases/run.js';
import { measurePatience } from './purchases/time-limits.js';
import { transportOf } from './transport.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    seed: { type: 'string' },
    purchases: { type: 'string', default: '2000' },
    parallel: { type: 'string', default: '8' },
    timeout: { type: 'string' },
    transport: { type: 'string', default: 'fetch' },
  },
});
const purchases = Number(values.purchases);
const seeds =
  values.seed === undefined
    ? Array.from({ length: Number(values.seeds) }, (_, n) => `${n + 1}`)
    : [values.seed];
const transport = transportOf(values.transport);
const startedAt = performance.now();
const reports: (RunReport & { readonly timeout: number })[] = [];
const waiting = [...seeds];

const line = ({ seed, charges, stands, problems, ms, timeout }: (typeof reports)[number]): string =>
  `seed ${seed}: ${timeout} ms an attempt; ${charges} charges; ${stands.sold} sold, ${stands.doubtful} doubtful and then resumed, ${stands.refused} refused; ${problems.length} problems; ${(ms / 1000).toFixed(1)} s`;

const lane = async () => {
  for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
    // Measured again for each seed: the machine and the other runs are not always equally busy.
    const timeout = values.timeout === undefined ? await measurePatience(transport) : Number(values.timeout);
    const report = { ...(await runSeed({ seed, purchases, timeout, transport })), timeout };
    reports.push(report);
    console.log(line(report));
    for (const problem of report.problems.slice(0, 10)) {
      console.error(`  ${problem}`);
      const met = report.met.get(/^order-\d+/.exec(problem)?.[0] ?? '');
      if (met) console.error(`    its requests met ${met.map((fault) => JSON.stringify(fault)).join(', ')}`);
    }
  }
};
await Promise.all(Array.from({ length: Number(values.parallel) }, lane));

const total = (pick: (report: RunReport) => Readonly<Record<string, number>>): string => {
  const sums: Record<string, number> = {};
  for (const report of reports) {
    for (const [name, n] of Object.entries(pick(report))) sums[name] = (sums[name] ?? 0) + n;
  }
  return Object.entries(sums)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');
};
const failed = reports.filter(({ problems }) => problems.length > 0);
console.log(`requests met: ${total(({ faults }) => faults)}`);
console.log(`calls ended in: ${total(({ errors }) => errors)}`);
console.log(
  `${reports.length} seeds of ${purchases} purchases over ${values.transport}: ${total(({ stands }) => stands)}; ${failed.length} seeds failed; ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
);
for (const { seed, timeout } of failed) {
  console.error(
    `reproduce: npm run chaos -- --seed ${seed} --purchases ${purchases} --timeout ${timeout} --transport ${values.transport}`,
  );
}
// A socket that Node failed to reset must not keep this process alive.
process.exit(failed.length > 0 ? 1 : 0);
