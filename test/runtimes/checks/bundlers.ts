import { join } from 'node:path';
import { type Check, passedIn, placeEnv, reportIn, template } from '../check.js';
import { run, toolFolder, toolModules, versionOf } from '../tools.js';

const bundlers = ['esbuild', 'rollup', 'vite', 'webpack'] as const;
const plugins = ['@rollup/plugin-node-resolve', '@rollup/plugin-terser'];

const bundled = (bundler: (typeof bundlers)[number], platform: 'node' | 'browser'): Check => ({
  name: `${bundler} ${versionOf(bundler)}, minified for ${platform}, run on Node ${versionOf('node-20')}`,
  run: async ({ packed, service, suite }) => {
    const folder = packed.consumer(`${bundler}-${platform}`, {
      twin: platform === 'node' ? 'node' : 'pure',
      files: {
        'main.mjs': template('main.mjs'),
        'suite.mjs': suite.esm,
        'build.mjs': template('bundle.mjs'),
      },
      links: Object.fromEntries([...bundlers, ...plugins].map((name) => [name, join(toolModules, name)])),
    });
    await run(join(toolFolder('node-24'), 'bin/node'), ['build.mjs', bundler, platform], folder);
    const place = service.place();
    const printed = await run(
      join(toolFolder('node-20'), 'bin/node'),
      ['bundle.mjs'],
      folder,
      placeEnv(place),
    );
    return passedIn(reportIn(printed), place, service);
  },
});

export const bundlerChecks: readonly Check[] = bundlers.flatMap((bundler) => [
  bundled(bundler, 'node'),
  bundled(bundler, 'browser'),
]);
