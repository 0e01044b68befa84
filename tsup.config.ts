import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { transform } from 'esbuild';
import { build, defineConfig, type Options } from 'tsup';
import { style } from './src/sandbox/console/style.js';

/** What is bundled into dist, so that the published package has no dependencies. */
const bundled = ['zod', '@noble/hashes'];

const client = {
  index: 'src/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
};
/** For servers only, and never bundled for their size: one copy behind a face for each format. */
const single = {
  'sandbox/index': 'src/sandbox/index.ts',
  'bulk/index': 'src/bulk/index.ts',
  'node/index': 'src/node/index.ts',
};
const hmac = { 'hmac/node': 'src/webhooks/hmac/node.ts', 'hmac/pure': 'src/webhooks/hmac/pure.ts' };
const command = existsSync('src/sandbox/command/index.ts')
  ? { 'sandbox/command': 'src/sandbox/command/index.ts' }
  : undefined;

/** The licences of the bundled packages, in their own words: their terms ask for that. */
function thirdPartyNotices(): string {
  const notices = bundled.map((name) => {
    const folder = `node_modules/${name}`;
    const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (!licence) throw new Error(`${name} has no licence file to ship`);
    return `${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, 'utf8').trim()}\n`;
  });
  const head = 'The code in dist holds code of these packages, under these licences.\n';
  return [head, ...notices].join(`\n${'-'.repeat(72)}\n\n`);
}

/**
 * The declarations once, as CommonJS; those for ESM re-export them, which ESM may. It halves them, and makes the
 * classes of both formats one type.
 */
async function writeDeclarations(): Promise<void> {
  const entry = { ...client, ...single };
  await build({
    config: false,
    silent: true,
    entry,
    format: ['cjs'],
    dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true } },
  });
  for (const name of Object.keys(entry)) writeFileSync(`dist/${name}.d.ts`, reexport);
  for (const file of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.d.cts'))
      writeFileSync(`dist/${file}`, squeezed(readFileSync(`dist/${file}`, 'utf8')));
  }
}

/** Nobody reads declarations but editors, which mind neither indents nor blank lines, nor the brands of error classes. */
const squeezed = (text: string): string =>
  text
    .replace(/^[ \t]+/gm, '')
    .replace(/^static readonly \[brand\]: string;\n/gm, '')
    .replace(/\n{2,}/g, '\n');

/** Lazy chunks of CommonJS are required: `import()` of them needs a flag in test runners that load CommonJS by themselves. */
function requireLazyChunks(): void {
  for (const file of readdirSync('dist').filter((name) => name.endsWith('.cjs'))) {
    const code = readFileSync(`dist/${file}`, 'utf8');
    const lazy = code.replace(
      /\bimport\((["'])(\.\/[^"']+\.cjs)\1\)/g,
      'Promise.resolve().then(()=>require("$2"))',
    );
    if (lazy !== code) writeFileSync(`dist/${file}`, lazy);
  }
}

/** ESM over a CommonJS file, its names spelled out: what a minifier leaves of them cannot be read off by every loader. */
function esmFace(name: string): string {
  const names = Object.keys(createRequire(import.meta.url)(resolve(`dist/${name}.cjs`))).sort();
  return `import cjs from './index.cjs';\nexport const { ${names.join(', ')} } = cjs;\n`;
}

/** No minifier of scripts looks into the console's style sheet. */
const minifiedStyle: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'minified-style',
  setup: ({ onLoad }) => {
    onLoad({ filter: /console[/\\]style\.ts$/ }, async () => {
      const { code } = await transform(style, { loader: 'css', minify: true });
      return { contents: `export const style = ${JSON.stringify(code)};` };
    });
  },
};

const reexport = "export * from './index.cjs';\n";

const shared: Options = {
  target: 'es2022',
  platform: 'node',
  // Without shared chunks each CommonJS entry would hold classes of its own, and instanceof would fail between them.
  splitting: true,
  // Also what turns the shared chunks into CommonJS; without it that step downlevels every class field and `??`.
  treeshake: true,
  esbuildOptions: (options) => {
    // What chunks export to each other is named here, and no later step may touch it.
    options.minifyIdentifiers = true;
    options.chunkNames = 'c-[hash]';
  },
  esbuildPlugins: [minifiedStyle],
  minify: 'terser',
  terserOptions: {
    module: true,
    ecma: 2020,
    compress: { passes: 8, unsafe_arrows: true, unsafe_methods: true, pure_getters: true },
  },
  sourcemap: true,
  silent: true,
  removeNodeProtocol: false,
  noExternal: bundled,
  external: [/^node:/, /^#/],
};

export default defineConfig([
  { ...shared, format: ['esm'], entry: { ...client, ...hmac } },
  {
    ...shared,
    format: ['cjs'],
    entry: { ...client, ...hmac, ...single, ...command },
    onSuccess: async () => {
      requireLazyChunks();
      for (const name of Object.keys(single)) writeFileSync(`dist/${name}.js`, esmFace(name));
      await writeDeclarations();
      writeFileSync('THIRD_PARTY_NOTICES', thirdPartyNotices());
    },
  },
]);
