import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

/** Libraries that are copied into dist, so that the package has no dependencies. */
const bundled = ['ky', 'zod', '@noble/hashes'];

/** The entry points that applications import. */
const entryPoints = {
  index: 'src/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
  'bulk/index': 'src/bulk/index.ts',
  'orders/index': 'src/orders/index.ts',
  'node/index': 'src/node/index.ts',
  'opentelemetry/index': 'src/opentelemetry/index.ts',
  'sandbox/index': 'src/sandbox/index.ts',
};

/** The commands of package.json. */
const commands = {
  'doctor/command': 'src/doctor/command/index.ts',
  'sandbox/command': 'src/sandbox/command/index.ts',
};

/** The two implementations behind the `#hmac` import condition of package.json. */
const hmac = { 'hmac/node': 'src/webhooks/hmac/node.ts', 'hmac/pure': 'src/webhooks/hmac/pure.ts' };

const shared: Options = {
  target: 'es2022',
  platform: 'node',
  // Shared chunks: with a copy of each error class in every CommonJS entry, `instanceof` would fail between entries.
  splitting: true,
  treeshake: true,
  noExternal: bundled,
  external: [/^node:/, /^#/],
  removeNodeProtocol: false,
};

rmSync('dist', { recursive: true, force: true });

export default defineConfig([
  {
    ...shared,
    format: 'esm',
    entry: { ...entryPoints, ...hmac, ...commands },
    onSuccess: async () => {
      // An ES module may import CommonJS, so the CommonJS declarations describe both formats and ship once.
      for (const entry of Object.keys(entryPoints)) {
        writeFileSync(`dist/${entry}.d.ts`, "export * from './index.cjs';\n");
      }
      writeFileSync('THIRD_PARTY_NOTICES', bundled.map(notice).join(`\n${'-'.repeat(72)}\n\n`));
    },
  },
  {
    ...shared,
    format: 'cjs',
    entry: { ...entryPoints, ...hmac },
    // tsup sets `baseUrl`, which TypeScript 6 reports as deprecated.
    dts: { entry: entryPoints, compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true } },
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
