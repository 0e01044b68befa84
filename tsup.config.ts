import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** Libraries that are copied into dist, so that the package has no dependencies. */
const bundled = ['ky', 'zod', '@noble/hashes'];

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'webhooks/index': 'src/webhooks/index.ts',
    'bulk/index': 'src/bulk/index.ts',
    'orders/index': 'src/orders/index.ts',
    'node/index': 'src/node/index.ts',
    'sandbox/index': 'src/sandbox/index.ts',
    'sandbox/command': 'src/sandbox/command/index.ts',
    // The two implementations behind the `#hmac` import condition of package.json.
    'hmac/node': 'src/webhooks/hmac/node.ts',
    'hmac/pure': 'src/webhooks/hmac/pure.ts',
  },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'node',
  clean: true,
  // Shared chunks: with a copy of each error class in every CommonJS entry, `instanceof` would fail between entries.
  splitting: true,
  treeshake: true,
  noExternal: bundled,
  external: [/^node:/, /^#/],
  removeNodeProtocol: false,
  // tsup sets `baseUrl`, which TypeScript 6 reports as deprecated.
  dts: { compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true } },
  onSuccess: async () =>
    writeFileSync('THIRD_PARTY_NOTICES', bundled.map(notice).join(`\n${'-'.repeat(72)}\n\n`)),
});

/** The licence text of a bundled library, which its terms ask to be shipped with the copy. */
function notice(name: string): string {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!licence) throw new Error(`${name} has no licence file`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${licence}`, 'utf8').trim()}\n`;
}
