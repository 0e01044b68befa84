/**
 * The packed package on every runtime, compiler, bundler and test runner that docs/runtimes.md lists.
 * Run: npm run test:runtimes [-- words that the names of the checks contain]
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Bench, type Check, compileSuite } from './check.js';
import { bundlerChecks } from './checks/bundlers.js';
import { edgeChecks } from './checks/edge.js';
import { entryPointChecks } from './checks/entry-points.js';
import { nodeTransportChecks, runtimeChecks } from './checks/runtimes.js';
import { sqliteChecks } from './checks/sqlite.js';
import { testRunnerChecks } from './checks/test-runners.js';
import { typeChecks } from './checks/types.js';
import { packPackage } from './package.js';
import { startService } from './service.js';
import { installTools } from './tools.js';

const words = process.argv.slice(2).map((word) => word.toLowerCase());

const started = performance.now();
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function runCheck(check: Check, bench: Bench): Promise<number | undefined> {
  const from = performance.now();
  try {
    const passed = await check.run(bench);
    console.log(`ok    ${check.name}: ${passed} passed (${seconds(from)})`);
    return passed;
  } catch (error) {
    console.log(`FAIL  ${check.name} (${seconds(from)})`);
    console.log(String(error instanceof Error ? error.message : error).replace(/^/gm, '      '));
    return undefined;
  }
}

await installTools();
const packed = await packPackage();
console.log(`Packed in ${seconds(started)}`);
const service = await startService(join(packed.installed, 'dist/sandbox/index.cjs'));
const bench: Bench = { packed, service, suite: await compileSuite() };

const all = [
  ...runtimeChecks,
  ...(packed.has('node/index.js') ? nodeTransportChecks : []),
  ...edgeChecks,
  ...bundlerChecks,
  ...entryPointChecks,
  ...testRunnerChecks,
  ...sqliteChecks,
  ...typeChecks,
];
const checks = all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));

const results: (number | undefined)[] = [];
const queue = [...checks];
await Promise.all(
  Array.from({ length: Math.min(4, availableParallelism()) }, async () => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      results.push(await runCheck(check, bench));
    }
  }),
);

const problems = service.audit();
for (const problem of problems) console.log(`FAIL  the sandbox's books: ${problem}`);
await service.close();
packed.remove();

const failed = results.filter((passed) => passed === undefined).length;
const passed = results.reduce<number>((sum, count) => sum + (count ?? 0), 0);
console.log(
  `${checks.length - failed} of ${checks.length} passed, ${passed} cases, ${failed} failed, in ${seconds(started)}`,
);
process.exitCode = failed > 0 || problems.length > 0 || checks.length === 0 ? 1 : 0;
