import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** What is bundled into dist, so that the published package has no dependencies. */
const bundled = ['zod', '@noble/hashes'];

const publicEntries = {
  index: 'src/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
  'sandbox/index': 'src/sandbox/index.ts',
};

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

export default defineConfig({
  entry: {
    ...publicEntries,
    ...(existsSync('src/sandbox/command/index.ts') && { 'sandbox/command': 'src/sandbox/command/index.ts' }),
    'hmac/node': 'src/webhooks/hmac/node.ts',
    'hmac/pure': 'src/webhooks/hmac/pure.ts',
  },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'node',
  clean: true,
  // Without shared chunks each CommonJS entry would hold classes of its own, and instanceof would fail between them.
  splitting: true,
  removeNodeProtocol: false,
  noExternal: bundled,
  external: [/^node:/, /^#/],
  dts: { entry: publicEntries, compilerOptions: { ignoreDeprecations: '6.0' } },
  onSuccess: async () => {
    writeFileSync('THIRD_PARTY_NOTICES', thirdPartyNotices());
  },
});
