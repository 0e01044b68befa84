import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import { buildPage } from './src/sandbox/console/build.js';

/** Libraries that are copied into dist, so that the package has no dependencies. */
const bundled = [
  'ky',
  'zod',
  '@noble/hashes',
  'eventsource-parser',
  'hono',
  '@hono/node-server',
  'csv-parse',
];

/** Libraries that are copied into the sandbox's page. */
const bundledInPage = ['preact', '@preact/signals', '@preact/signals-core'];

/** The sandbox's page, which is loaded when it is first opened: once for both formats, as `#sandbox-page` of package.json. */
const page = { 'sandbox/page': 'src/sandbox/console/page.ts' };

/** Text as lines of source code, so that it can be read where it is embedded. */
const textOfLines = (text: string): string => `${JSON.stringify(text.split('\n'), undefined, 1)}.join('\\n')`;

/** Embeds the page's script and style in place of the module that bundles them from source. */
const embedPage: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'embed-page',
  setup: (build) => {
    build.onResolve({ filter: /^\.\/page\.js$/ }, ({ importer }) =>
      /sandbox[\\/]console[\\/]handler\.ts$/.test(importer)
        ? { path: '#sandbox-page', external: true }
        : undefined,
    );
    build.onLoad({ filter: /sandbox[\\/]console[\\/]assets\.ts$/ }, () => {
      const { script, style } = buildPage();
      return {
        contents: `export const script = ${textOfLines(script)};\nexport const style = ${textOfLines(style)};`,
        loader: 'js',
      };
    });
  },
};

/**
 * @hono/node-server imports modules of node, which bundlers for other runtimes cannot find. It is loaded only where a sandbox listens on a
 * port, and looks them up there.
 */
const lookNodeUp: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'look-node-up',
  setup: (build) => {
    build.onResolve({ filter: /^(?:crypto|http|http2|stream)$/ }, ({ path, importer }) =>
      /@hono[\\/]node-server/.test(importer) ? { path, namespace: 'node-at-run-time' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'node-at-run-time' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}');`,
      loader: 'js',
    }));
  },
};

/**
 * ky declares in its package.json that its files have no side effects. In one file with other code its statements must say so themselves, or
 * whoever imports `verifyWebhook` alone gets all of ky.
 */
const keepKyPure: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'keep-ky-pure',
  setup: (build) => {
    build.onLoad({ filter: /ky[\\/]distribution[\\/](?:index|core[\\/]constants)\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /= (createInstance\(\)|\(\(\) => \{)/,
        '= /* @__PURE__ */ $1',
      ),
      loader: 'js',
    }));
  },
};

/** Commands use the client of the package, instead of a copy of its code in the files that the other entry points share. */
const importClient: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'import-client',
  setup: (build) => {
    build.onResolve({ filter: /^\.\.\/index\.js$/ }, ({ importer }) =>
      /src[\\/](?:prove|reconcile)[\\/][\w-]+\.ts$/.test(importer)
        ? { path: 'billpay', external: true }
        : undefined,
    );
  },
};

/** Leaves the commands of `billpay` in files of their own, which it loads when they are called. */
const separateCommands: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'separate-commands',
  setup: (build) => {
    build.onResolve({ filter: /^\.\/\w+\/command(?:\/index)?\.js$/ }, ({ path }) => {
      return { path: path.replace(/\/index\.js$/, '.js'), external: true };
    });
  },
};

/** The entry points that share code, which lies in files beside them. */
const entryPoints = {
  'bulk/index': 'src/bulk/index.ts',
  'orders/index': 'src/orders/index.ts',
  'node/index': 'src/node/index.ts',
  'opentelemetry/index': 'src/opentelemetry/index.ts',
  'sandbox/index': 'src/sandbox/index.ts',
};

/** What `billpay` loads when one of its commands is called. */
const commands = {
  'sandbox/command': 'src/sandbox/command/index.ts',
  'doctor/command': 'src/doctor/command.ts',
  'prove/command': 'src/prove/command.ts',
  'prove/shop-process': 'src/prove/shop-process.ts',
  'reconcile/command': 'src/reconcile/command.ts',
};

/** One CommonJS file for both formats: it is loaded by tests only, and shares no class with what it tests. */
const testing = { 'orders/testing/index': 'src/orders/testing/index.ts' };

/**
 * Entry points in one file each: every further file costs time to load, and clients and receivers run in functions that start cold.
 * Their copies of the error classes are recognised by their brands, as those of the two formats are.
 */
const client = { index: 'src/index.ts' };
const webhooks = { 'webhooks/index': 'src/webhooks/index.ts' };

/** The two implementations behind the `#hmac` import condition of package.json, each in one file for the same reason. */
const hmac = { 'hmac/node': 'src/webhooks/hmac/node.ts', 'hmac/pure': 'src/webhooks/hmac/pure.ts' };

const shared: Options = {
  target: 'es2022',
  platform: 'node',
  // Shared chunks: with a copy of each error class in every CommonJS entry, `instanceof` would fail between entries.
  splitting: true,
  treeshake: true,
  esbuildPlugins: [embedPage, lookNodeUp, keepKyPure, importClient],
  noExternal: bundled,
  external: [/^node:/, /^#/],
  removeNodeProtocol: false,
};

rmSync('dist', { recursive: true, force: true });

export default defineConfig([
  {
    ...shared,
    format: 'esm',
    entry: { ...entryPoints, ...commands, ...page },
    onSuccess: async () => {
      // An ES module may import CommonJS, so the CommonJS declarations describe both formats and ship once.
      for (const entry of Object.keys({ ...client, ...webhooks, ...entryPoints, ...testing })) {
        mkdirSync(`dist/${dirname(entry)}`, { recursive: true });
        writeFileSync(`dist/${entry}.d.ts`, "export * from './index.cjs';\n");
      }
      writeFileSync(
        'THIRD_PARTY_NOTICES',
        [...bundled, ...bundledInPage].map(notice).join(`\n${'-'.repeat(72)}\n\n`),
      );
    },
  },
  {
    ...shared,
    format: ['esm', 'cjs'],
    splitting: false,
    entry: { ...client, ...webhooks, ...hmac },
  },
  {
    ...shared,
    format: 'esm',
    splitting: false,
    entry: { billpay: 'src/billpay.ts' },
    esbuildPlugins: [separateCommands],
  },
  {
    ...shared,
    format: 'cjs',
    entry: { ...entryPoints, ...testing },
    // tsup sets `baseUrl`, which TypeScript 6 reports as deprecated.
    dts: {
      entry: { ...client, ...webhooks, ...entryPoints, ...testing },
      compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true },
    },
  },
]);

/** The licence text of a bundled library, which its terms ask to be shipped with the copy. */
function notice(name: string): string {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!licence) throw new Error(`${name} has no licence file`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, 'utf8').trim()}\n`;
}
