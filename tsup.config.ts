import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { transform } from 'sucrase';
import { defineConfig, type Options } from 'tsup';

/** Libraries that are copied into the package, so that it has no dependencies. */
const bundled = ['ky', 'zod', '@noble/hashes', 'hono', 'csv-parse', 'commander'];
const bundledInPage = ['preact', '@preact/signals', '@preact/signals-core'];

const entryPoints = {
  index: 'src/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
  'bulk/index': 'src/bulk/index.ts',
  'orders/index': 'src/orders/index.ts',
  'node/index': 'src/node/index.ts',
  'opentelemetry/index': 'src/opentelemetry/index.ts',
};

/** In CommonJS alone, which serves both formats: nobody bundles these for a browser, and each would be in the package twice. */
const commonJsOnly = { 'sandbox/index': 'src/sandbox/index.ts' };

/** Not public. It moves the client out of `index.js`, so that bundlers leave it out, and ky with it, where only `verifyWebhook` is used. */
const client = { client: 'src/client.ts' };

const shared: Options = { format: 'esm', target: 'es2022', external: [/^#/], removeNodeProtocol: false };

/** What no caller steps into is minified: the sandbox's page, and the libraries that only the commands use. */
const page: Options = {
  ...shared,
  entry: { 'sandbox/page/main': 'src/sandbox/page/client/main.tsx' },
  platform: 'browser',
  minify: true,
};
const libraries = {
  commander: 'node_modules/commander/esm.mjs',
  'csv-parse': 'node_modules/csv-parse/lib/sync.js',
};
/** Where the parts of the commands, which all are in `dist` itself, find these. */
const alias = { commander: './libraries/commander.cjs', 'csv-parse/sync': './libraries/csv-parse.cjs' };

rmSync('dist', { recursive: true, force: true });

export default defineConfig([
  page,
  { ...shared, entry: libraries, outDir: 'dist/libraries', format: 'cjs', minify: true },
  // The page's files are read by one module for both formats, as `#sandbox-page` of package.json.
  { ...shared, entry: { ...entryPoints, ...client, 'sandbox/page': 'src/sandbox/page/files.ts' } },
  {
    // Built as ES modules, because only these share code between files, and converted afterwards.
    ...shared,
    entry: { ...entryPoints, ...commonJsOnly, billpay: 'src/commands/billpay.ts' },
    outExtension: () => ({ js: '.cjs' }),
    esbuildOptions: (options) => void Object.assign(options, { alias, external: ['./libraries/*'] }),
    onSuccess: async () => {
      for (const path of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
        if (path.endsWith('.cjs') && !path.startsWith('libraries')) convertToCommonJs(`dist/${path}`);
      }
      // An ES module may import CommonJS, so the declarations of that format describe both, and ship once.
      for (const entry of Object.keys({ ...entryPoints, ...commonJsOnly })) {
        writeFileSync(`dist/${entry}.d.ts`, "export * from './index.cjs';\n");
      }
      const notices = [...bundled, ...bundledInPage].map(notice);
      writeFileSync('THIRD_PARTY_NOTICES', notices.join(`\n${'-'.repeat(72)}\n\n`));
    },
  },
  {
    format: 'cjs',
    entry: { ...entryPoints, ...commonJsOnly },
    // tsup sets `baseUrl`, which TypeScript 6 reports as deprecated.
    dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true } },
  },
]);

/** By sucrase, as tsup itself does it: esbuild repeats a page of helpers in each file. */
function convertToCommonJs(file: string): void {
  const { code } = transform(readFileSync(file, 'utf8'), {
    transforms: ['imports'],
    disableESTransforms: true,
  });
  writeFileSync(file, code);
}

/** The licence text of a bundled library, which its terms ask to be shipped with the copy. */
function notice(name: string): string {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!licence) throw new Error(`${name} has no licence file`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, 'utf8').trim()}\n`;
}
