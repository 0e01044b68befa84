import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, passedIn, placeEnv, reportIn, template } from '../check.js';
import { run, toolFolder, versionOf } from '../tools.js';

interface Runner {
  readonly tool: 'jest' | 'vitest';
  readonly what: string;
  readonly test: 'list.test.cjs' | 'list.test.mjs';
  readonly config: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

const runners: readonly Runner[] = [
  {
    tool: 'jest',
    what: 'CommonJS',
    test: 'list.test.cjs',
    config: {},
    args: ['bin/jest.js', '--ci', '--rootDir=.', '--watchman=false'],
  },
  {
    tool: 'vitest',
    what: 'ESM',
    test: 'list.test.mjs',
    config: {},
    args: ['vitest.mjs', 'run'],
  },
  {
    tool: 'vitest',
    what: 'ESM, inlined',
    test: 'list.test.mjs',
    config: {
      'vitest.config.mjs': "export default { test: { server: { deps: { inline: ['billpay'] } } } };",
    },
    args: ['vitest.mjs', 'run'],
  },
];

export const testRunnerChecks: readonly Check[] = runners.map(({ tool, what, test, config, args }) => ({
  name: `${tool} ${versionOf(tool)}, ${what}`,
  run: async ({ packed, service, suite }) => {
    const folder = packed.consumer(`${tool}-${what.replace(/\W+/g, '-')}`, {
      type: test.endsWith('.cjs') ? 'commonjs' : 'module',
      files: { [test]: template(test), 'suite.mjs': suite.esm, 'suite.cjs': suite.cjs, ...config },
      links: tool === 'vitest' ? { vitest: toolFolder('vitest') } : {},
    });
    const [script = '', ...rest] = args;
    const place = service.place();
    await run(process.execPath, [join(toolFolder(tool), script), ...rest], folder, placeEnv(place));
    return passedIn(reportIn(readFileSync(join(folder, 'report.txt'), 'utf8')), place, service);
  },
}));
