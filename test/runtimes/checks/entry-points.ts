import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check } from '../check.js';
import { openTelemetryApi } from '../package.js';
import { run, type Tool, toolFolder, versionOf } from '../tools.js';

/** Nothing else is installed beside the package: no database driver and no job engine. */
const links = { '@opentelemetry/api': openTelemetryApi };

const linked = (...tools: readonly Tool[]): Record<string, string> =>
  Object.fromEntries(tools.map((tool) => [tool, toolFolder(tool)]));

/** A build machine has none of the variables that the package reads. */
const withoutBillpay = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith('BILLPAY_'))
    .map((name) => [name, undefined]),
);

/** Without the mark of a converted module, which Node shows as a name and bundlers do not. */
const countNames = (entry: string) =>
  `import * as all from '${entry}';
const names = Object.keys(all).filter((name) => name !== '__esModule');
console.log(names.length);
`;

/** Bundles one entry point as its bundler's manual says, and resolves when the bundle has been written. */
const buildScripts = {
  esbuild: `import { build } from 'esbuild';
    await build({ entryPoints: ['main.mjs'], outfile: 'bundle.cjs', bundle: true, platform: 'node' });`,
  webpack: `import webpack from 'webpack';
    const output = { path: process.cwd(), filename: 'bundle.cjs' };
    const options = { mode: 'production', context: process.cwd(), entry: './main.mjs', target: 'node20', output };
    await new Promise((resolve, reject) => {
      webpack(options, (error, stats) => {
        if (error || stats.hasErrors() || stats.hasWarnings()) reject(error ?? new Error(stats.toString()));
        else resolve();
      });
    });`,
};

const bundledAlone = (bundler: keyof typeof buildScripts): Check => ({
  name: `${bundler} ${versionOf(bundler)}, every entry point alone, without engines and drivers`,
  run: async ({ packed }) => {
    for (const [at, entry] of packed.entryPoints.entries()) {
      const folder = packed.consumer(`${bundler}-entry-${at}`, {
        files: { 'main.mjs': countNames(entry), 'build.mjs': buildScripts[bundler] },
        links: { ...links, ...linked(bundler) },
      });
      const node = join(toolFolder('node-20'), 'bin/node');
      await run(node, ['build.mjs'], folder);
      const [bundled, installed] = [
        await run(node, ['bundle.cjs'], folder),
        await run(node, ['main.mjs'], folder),
      ];
      if (bundled !== installed)
        throw new Error(`${entry}: ${bundled} exports in the bundle, ${installed} without`);
    }
    return packed.entryPoints.length;
  },
});

/** A route of a Next application, which is loaded while the application is built. */
const route = (entry: string) =>
  `import * as all from '${entry}';\nexport const GET = () => Response.json(Object.keys(all));\n`;

/** Creates a client and a handler as the guides do: at module level, with what the environment has. */
const moduleLevel = `import { BillPay } from 'billpay';
import { createWebhookHandler } from 'billpay/webhooks';

const billpay = new BillPay();
export const GET = async () => Response.json(await billpay.data.products({ biller: 'MTN' }));
export const POST = createWebhookHandler({ secret: process.env.BILLPAY_WEBHOOK_SECRET, on: {} });
`;

/** The tools lie elsewhere, behind links, which Turbopack follows within its root only. */
const nextConfig = "export default { turbopack: { root: '/' } };";

const nextBuild: Check = {
  name: `next build ${versionOf('next')}, every entry point, without engines, drivers and environment variables`,
  run: async ({ packed }) => {
    const routes = packed.entryPoints.map((entry, at) => [`app/entry-${at}/route.js`, route(entry)] as const);
    const files = {
      ...Object.fromEntries(routes),
      'app/shop/route.js': moduleLevel,
      'next.config.mjs': nextConfig,
    };
    const folder = packed.consumer('next', {
      files,
      links: { ...links, ...linked('next', 'react', 'react-dom') },
    });
    const env = { ...withoutBillpay, NEXT_TELEMETRY_DISABLED: '1' };
    const program = join(folder, 'node_modules/next/dist/bin/next');
    const printed = await run(join(toolFolder('node-24'), 'bin/node'), [program, 'build'], folder, env);
    const built = Object.keys(files).filter((path) => printed.includes(` /${path.split('/')[1]}`));
    if (built.length < packed.entryPoints.length + 1)
      throw new Error(`not every route was built:\n${printed}`);
    return built.length;
  },
};

/** BullMQ in both major versions: an optional peer of a narrower range would end the installation with ERESOLVE. */
const installedBeside: readonly Check[] = [
  'bullmq@5.81.5',
  'bullmq@6.7.0',
  'pg-boss@10.4.2',
  'pg-boss@11.1.2',
  'pg-boss@12.38.0',
].map((engine) => ({
  name: `npm install beside ${engine}`,
  run: async ({ packed }) => {
    const [name = '', version = ''] = engine.split('@');
    const folder = mkdtempSync(join(tmpdir(), 'billpay-beside-'));
    const dependencies = { billpay: `file:${packed.tarball}`, [name]: version };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
    // Resolves the whole tree, as an installation does first, and downloads nothing of it.
    await run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], folder);
    rmSync(folder, { recursive: true });
    return 1;
  },
}));

export const entryPointChecks: readonly Check[] = [
  bundledAlone('esbuild'),
  bundledAlone('webpack'),
  nextBuild,
  ...installedBeside,
];
