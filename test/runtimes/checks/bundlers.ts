import { join } from 'node:path';
import { type Check, passedIn, placeEnv, reportIn, reportMark, template } from '../check.js';
import { run, toolFolder, toolModules, versionOf } from '../tools.js';

const bundlers = ['esbuild', 'rollup', 'vite', 'webpack'] as const;
const plugins = ['@rollup/plugin-commonjs', '@rollup/plugin-node-resolve', '@rollup/plugin-terser'];

const bundlerLinks = Object.fromEntries(
  [...bundlers, ...plugins].map((name) => [name, join(toolModules, name)]),
);

const bundled = (bundler: (typeof bundlers)[number], platform: 'node' | 'browser'): Check => ({
  name: `${bundler} ${versionOf(bundler)}, minified for ${platform}, run on Node ${versionOf('node-20')}`,
  run: async ({ packed, service, suite }) => {
    const folder = packed.consumer(`${bundler}-${platform}`, {
      files: {
        'main.mjs': template('main.mjs'),
        'suite.mjs': suite.esm,
        'build.mjs': template('bundle.mjs'),
      },
      links: bundlerLinks,
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

/** `billpay/bulk`, `billpay/node` and `billpay/sandbox` in one ESM bundle that buys from its own sandbox. */
const serverParts = (bundler: (typeof bundlers)[number]): Check => ({
  name: `${bundler} ${versionOf(bundler)}, bulk, node and sandbox, run on Node ${versionOf('node-20')}`,
  run: async ({ packed }) => {
    const folder = packed.consumer(`${bundler}-server-parts`, {
      files: { 'main.mjs': template('server-parts.mjs'), 'build.mjs': template('bundle.mjs') },
      links: bundlerLinks,
    });
    await run(join(toolFolder('node-24'), 'bin/node'), ['build.mjs', bundler, 'node'], folder);
    const printed = await run(join(toolFolder('node-20'), 'bin/node'), ['bundle.mjs'], folder);
    if (printed.trim() !== `${reportMark}{"accepted":3,"sold":3}`) throw new Error(printed);
    return 1;
  },
});

export const bundlerChecks: readonly Check[] = bundlers.flatMap((bundler) => [
  bundled(bundler, 'node'),
  bundled(bundler, 'browser'),
  serverParts(bundler),
]);
