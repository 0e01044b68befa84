/**
 * A buying process that is killed, and one that is frozen.
 *
 * npm run chaos -- processes                                    200 SIGKILLs, then 60 freezes
 * npm run chaos -- processes --kills 20 --freezes 0
 * also: --seed 2, --transport node
 */
import { parseArgs } from 'node:util';
import { freezeRun } from './process/freeze.js';
import { killRun } from './process/kill.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    freezes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    transport: { type: 'string', default: 'fetch' },
  },
});
const { seed, transport } = values;

function tell(what: string, problems: readonly string[], startedAt: number): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${what}; ${problems.length} problems; ${transport}, seed ${seed}; ${seconds} s`);
  for (const problem of problems.slice(0, 10)) console.error(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

/** Two runs in parallel, each with half the number and its own journals and ledgers. */
const halves = (n: number) => [n - Math.floor(n / 2), Math.floor(n / 2)].filter((half) => half > 0);
const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

if (Number(values.kills) > 0) {
  const startedAt = performance.now();
  const reports = await Promise.all(
    halves(Number(values.kills)).map((kills, n) => killRun({ kills, seed: `${seed}-${n}`, transport })),
  );
  tell(
    `${sum(reports.map(({ kills }) => kills))} kills, ${sum(reports.map(({ leftOpen }) => leftOpen))} of them between debit and journal: ${sum(reports.map(({ orders }) => orders))} orders, exactly one charge each`,
    reports.flatMap(({ problems }) => problems),
    startedAt,
  );
}
if (Number(values.freezes) > 0) {
  const startedAt = performance.now();
  const reports = await Promise.all(
    halves(Number(values.freezes)).map((freezes, n) =>
      freezeRun({ freezes, seed: `${seed}-${n}`, transport, how: n === 0 ? 'fin' : 'rst' }),
    ),
  );
  tell(
    `${sum(reports.map(({ freezes }) => freezes))} freezes, ${sum(reports.map(({ connections }) => connections))} connections: ${sum(reports.map(({ orders }) => orders))} orders, exactly one charge each`,
    reports.flatMap(({ problems }) => problems),
    startedAt,
  );
}
