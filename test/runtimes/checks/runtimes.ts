import { join } from 'node:path';
import { type Bench, type Check, passedIn, placeEnv, reportIn, template } from '../check.js';
import type { Place } from '../suite.js';
import { run, type Tool, toolFolder, versionOf } from '../tools.js';

type Format = 'ESM' | 'CommonJS';
type Twin = 'node' | 'pure';

interface ServerRuntime {
  readonly tool: Tool;
  readonly title: string;
  readonly resends?: boolean;
  /** The program and the arguments before the script. */
  command(folder: string, conditions: readonly string[]): [program: string, args: string[]];
}

const node = (tool: Tool): ServerRuntime => ({
  tool,
  title: 'Node',
  command: (folder, conditions) => [
    join(folder, 'bin/node'),
    conditions.map((condition) => `--conditions=${condition}`),
  ],
});

const bun: ServerRuntime = {
  tool: 'bun',
  title: 'Bun',
  command: (folder, conditions) => [
    join(folder, 'bin/bun'),
    conditions.map((condition) => `--conditions=${condition}`),
  ],
};

const deno: ServerRuntime = {
  tool: 'deno',
  title: 'Deno',
  resends: true,
  command: (folder, conditions) => [
    join(folder, 'deno'),
    ['run', '-A', '--no-lock', ...conditions.flatMap((condition) => ['--conditions', condition])],
  ],
};

const runtimes = [node('node-20'), node('node-22'), node('node-24'), node('node-26'), bun, deno];

const twinName = { node: 'node:crypto', pure: 'no node:crypto' } as const;

function onServer(runtime: ServerRuntime, format: Format, twin: Twin): Check {
  const { tool, title, resends = false } = runtime;
  return {
    name: `${title} ${versionOf(tool)}, ${format}, ${twinName[twin]}`,
    run: async ({ packed, service, suite }: Bench) => {
      const esm = format === 'ESM';
      const main = esm ? 'main.mjs' : 'main.cjs';
      const folder = packed.consumer(`${tool}-${format}-${twin}`, {
        type: esm ? 'module' : 'commonjs',
        twin,
        files: {
          [main]: template(main),
          'suite.mjs': suite.esm,
          'suite.cjs': suite.cjs,
        },
      });
      // A fetch that resends requests proves nothing by the failure of its last one.
      const place = service.place({ resends, knowsRefusal: !resends });
      // The `browser` condition selects the implementation without node:crypto on a runtime that has it.
      const [program, args] = runtime.command(toolFolder(tool), twin === 'pure' ? ['browser'] : []);
      const printed = await run(program, [...args, main], folder, placeEnv(place));
      return passedIn(reportIn(printed), place, service);
    },
  };
}

/** `billpay/node`, where the package has it. */
const withNodeTransport = (runtime: ServerRuntime): Check => ({
  name: `${runtime.title} ${versionOf(runtime.tool)}, ESM, nodeTransport`,
  run: async ({ packed, service, suite }) => {
    const folder = packed.consumer(`${runtime.tool}-node-transport`, {
      files: { 'main.mjs': template('node-transport.mjs'), 'suite.mjs': suite.esm },
    });
    const place: Place = service.place();
    const [program, args] = runtime.command(toolFolder(runtime.tool), []);
    const printed = await run(program, [...args, 'main.mjs'], folder, placeEnv(place));
    return passedIn(reportIn(printed), place, service);
  },
});

export const runtimeChecks: readonly Check[] = runtimes.flatMap((runtime) => [
  onServer(runtime, 'ESM', 'node'),
  onServer(runtime, 'CommonJS', 'node'),
  onServer(runtime, 'ESM', 'pure'),
  onServer(runtime, 'CommonJS', 'pure'),
]);

export const nodeTransportChecks: readonly Check[] = runtimes
  .filter(({ title }) => title === 'Node')
  .map(withNodeTransport);
