import { type ChildProcess, spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { clockShift, planRuns, type Surroundings } from './surroundings.js';

/** Runs the suite again and again in differing surroundings: `npx tsx test/repeat/run.ts -- [--runs 20] [folders of test]`. */

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, from: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
const clock = new URL('shifted-clock.mjs', import.meta.url).href;

let passed = 0;
let count = 0;
for (const [index, surroundings] of planRuns(runs).entries()) {
  if (index + 1 < Number(values.from)) continue;
  count += 1;
  const { zone, moment, load } = surroundings;
  console.log(`run ${index + 1} of ${runs}: ${zone}, ${moment}, ${load} busy processes`);
  if (await suitePasses(surroundings)) passed += 1;
}
console.log(`${passed} of ${count} runs passed`);
process.exitCode = passed === count ? 0 : 1;

async function suitePasses(surroundings: Surroundings): Promise<boolean> {
  process.env['TZ'] = surroundings.zone;
  const shift = clockShift(surroundings, new Date());
  const busy = Array.from({ length: surroundings.load }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  try {
    const suite = spawn(
      'npx',
      ['vitest', 'run', '--reporter=dot', '--coverage.enabled=false', ...positionals],
      {
        env: {
          ...process.env,
          NO_COLOR: '1',
          CLOCK_SHIFT_MS: String(shift),
          ...(shift === 0 ? {} : { NODE_OPTIONS: `--import=${clock}` }),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    return await endOf(suite);
  } finally {
    for (const process of busy) process.kill('SIGKILL');
  }
}

/** Waits for the suite, prints its counts, and everything that it said when it failed. */
async function endOf(suite: ChildProcess): Promise<boolean> {
  let output = '';
  suite.stdout?.on('data', (text: Buffer) => {
    output += text.toString();
  });
  suite.stderr?.on('data', (text: Buffer) => {
    output += text.toString();
  });
  const code = await new Promise((resolve) => suite.on('close', resolve));
  console.log(code === 0 ? (output.match(/^ *(Tests|Duration) .*$/gm) ?? []).join('\n') : output);
  return code === 0;
}
