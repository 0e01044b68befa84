/**
 * A buying process that is killed, and one that is frozen.
 *
 * npm run chaos -- processes                                    200 SIGKILLs, then 60 freezes
 * npm run chaos -- processes --kills 20 --freezes 0
 * also: --seed 2, --transport node
 */
import { parseArgs } from 'node:util';
import { freezeRun, killRun, type Report, type RunOptions } from './process/runs.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    freezes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    transport: { type: 'string', default: 'fetch' },
  },
});
const seed = Number(values.seed);
const { transport } = values;

/** Two runs in parallel, each with half the number and its own journals and ledgers. */
async function tell(
  asked: string,
  what: string,
  counted: string,
  run: (options: RunOptions, half: number) => Promise<Report>,
): Promise<void> {
  const all = Number(asked);
  if (all === 0) return;
  const startedAt = performance.now();
  const reports = await Promise.all(
    [Math.ceil(all / 2), Math.floor(all / 2)]
      .filter((times) => times > 0)
      .map((times, half) => run({ times, seed: 2 * seed + half, transport }, half)),
  );
  const sum = (of: 'count' | 'orders') => reports.reduce((total, report) => total + report[of], 0);
  const problems = reports.flatMap((report) => report.problems);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${all} ${what}, ${sum('count')} ${counted}: ${sum('orders')} orders, exactly one charge each; ${problems.length} problems; ${transport}, seed ${seed}; ${seconds} s`,
  );
  for (const problem of problems.slice(0, 10)) console.error(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

await tell(values.kills, 'kills', 'of them between debit and journal', killRun);
await tell(values.freezes, 'freezes', 'connections', (options, half) =>
  freezeRun(options, half === 0 ? 'fin' : 'rst'),
);
