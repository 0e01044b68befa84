import { join } from 'node:path';
import { type Bench, type Check, passedIn, placeEnv, reportIn, template } from '../check.js';
import type { Place } from '../suite.js';
import { run, type Tool, toolFolder, versionOf } from '../tools.js';

type Format = 'ESM' | 'CommonJS';

interface ServerRuntime {
  readonly tool: Tool;
  readonly title: string;
  readonly resends?: boolean;
  /** The program and the arguments before the script. */
  command(folder: string): [program: string, args: string[]];
}

const node = (tool: Tool): ServerRuntime => ({
  tool,
  title: 'Node',
  command: (folder) => [join(folder, 'bin/node'), []],
});

const bun: ServerRuntime = {
  tool: 'bun',
  title: 'Bun',
  command: (folder) => [join(folder, 'bin/bun'), []],
};

const deno: ServerRuntime = {
  tool: 'deno',
  title: 'Deno',
  resends: true,
  command: (folder) => [join(folder, 'deno'), ['run', '-A', '--no-lock']],
};

const runtimes = [node('node-20'), node('node-22'), node('node-24'), node('node-26'), bun, deno];

function onServer(runtime: ServerRuntime, format: Format, { crypto = true } = {}): Check {
  const { tool, title, resends = false } = runtime;
  return {
    name: `${title} ${versionOf(tool)}, ${format}${crypto ? '' : ', no node:crypto'}`,
    run: async ({ packed, service, suite }: Bench) => {
      const esm = format === 'ESM';
      const main = esm ? 'main.mjs' : 'main.cjs';
      const folder = packed.consumer(`${tool}-${format}-${crypto}`, {
        type: esm ? 'module' : 'commonjs',
        files: {
          [main]: template(main),
          'suite.mjs': suite.esm,
          'suite.cjs': suite.cjs,
        },
      });
      // Only Node tells what was written, and only to who can ask for its built-in modules.
      const place = service.place({ resends, knowsRefusal: title === 'Node' && crypto });
      const [program, args] = runtime.command(toolFolder(tool));
      const env = { ...placeEnv(place), ...(!crypto && { WITHOUT_CRYPTO: '1' }) };
      const printed = await run(program, [...args, main], folder, env);
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
    const [program, args] = runtime.command(toolFolder(runtime.tool));
    const printed = await run(program, [...args, 'main.mjs'], folder, placeEnv(place));
    return passedIn(reportIn(printed), place, service);
  },
});

export const runtimeChecks: readonly Check[] = runtimes.flatMap((runtime) => [
  onServer(runtime, 'ESM'),
  onServer(runtime, 'CommonJS'),
  onServer(runtime, 'ESM', { crypto: false }),
]);

export const nodeTransportChecks: readonly Check[] = runtimes
  .filter(({ title }) => title === 'Node')
  .map(withNodeTransport);
