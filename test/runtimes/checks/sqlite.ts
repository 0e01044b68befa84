import { fileURLToPath } from 'node:url';
import type { Check } from '../check.js';
import { run, toolFolder, versionOf } from '../tools.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The tests of order stores on each Node that has node:sqlite. Node 20 has none, so `npm test` covers it with another library there. */
export const sqliteChecks: readonly Check[] = (['node-22', 'node-24', 'node-26'] as const).map((tool) => ({
  name: `Node ${versionOf(tool)}, order store on node:sqlite`,
  run: async () => {
    const vitest = [
      'node_modules/vitest/vitest.mjs',
      'run',
      'test/orders/stores/embedded.test.ts',
      '--reporter=json',
      '--coverage.enabled=false',
    ];
    const args = [...vitest, '--testNamePattern', 'node:sqlite'];
    const printed = await run(`${toolFolder(tool)}/bin/node`, args, root);
    const { numPassedTests } = JSON.parse(printed.slice(printed.indexOf('{')));
    if (!(numPassedTests > 0)) throw new Error(`no test ran: ${printed}`);
    return numPassedTests;
  },
}));
