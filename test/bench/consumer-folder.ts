import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { openApiDocument } from '../openapi/document.js';
import { type Packed, packPackage } from '../runtimes/package.js';
import { run } from '../runtimes/tools.js';
import { type Gap, leftOut } from './measure.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = join(here, '../tools/node_modules');

/** The newer of the two Node versions that are measured; the generators and the stub run on it too. */
export const node24 = join(modules, 'node24/bin/node');

/** A temporary folder in which every client is installed, the packed package among them. */
export interface ConsumerFolder {
  readonly folder: string;
  readonly packed: Packed;
  /** The names of the files in `contenders`, one for each client. */
  readonly contenders: readonly string[];
  /** What could not be measured; the run adds to it. */
  readonly gaps: Gap[];
  file(path: string): string;
  remove(): void;
}

export async function openConsumerFolder(): Promise<ConsumerFolder> {
  const packed = await packPackage();
  const folder = mkdtempSync(join(tmpdir(), 'billpay-bench-'));
  const file = (path: string) => join(folder, path);
  linkModules(file('node_modules'), packed.installed);
  cpSync(join(here, 'contenders'), file('contenders'), { recursive: true });
  cpSync(join(here, 'probes'), file('probes'), { recursive: true });
  cpSync(join(here, 'consumers'), file('consumers'), { recursive: true });
  const gaps: Gap[] = [];
  const missing = await generateClients(folder, leftOut({ gaps }, 'anywhere'));
  const contenders = readdirSync(join(here, 'contenders'))
    .map((name) => name.replace('.mjs', ''))
    .filter((name) => name !== 'sale' && !missing.includes(name));
  await writeColdStarts(folder, contenders);
  return {
    folder,
    packed,
    contenders,
    gaps,
    file,
    remove: () => {
      packed.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function linkModules(into: string, billpay: string): void {
  mkdirSync(into);
  for (const name of readdirSync(modules)) {
    if (name.startsWith('.')) continue;
    symlinkSync(join(modules, name), join(into, name));
  }
  cpSync(billpay, join(into, 'billpay'), { recursive: true });
}

/** Generates clients from the OpenAPI document; returns the names of those that could not be generated. */
async function generateClients(
  folder: string,
  failed: (name: string, error: unknown) => void,
): Promise<readonly string[]> {
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument(''), null, 2));
  await run(
    node24,
    [join(modules, 'openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'consumers/paths.ts'],
    folder,
  );
  const missing: string[] = [];
  for (const [name, plugins] of Object.entries(heyApiPlugins)) {
    try {
      await generateHeyApi(folder, name, plugins);
    } catch (error) {
      failed(name, error);
      missing.push(name);
      // An incomplete client would fail later, with a less clear error.
      rmSync(join(folder, `contenders/${name}.mjs`));
    }
  }
  return missing;
}

const heyApiPlugins = {
  'hey-api': "['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk']",
  'hey-api-zod':
    "['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }]",
};

async function generateHeyApi(folder: string, name: string, plugins: string): Promise<void> {
  const config = `${name}.config.mjs`;
  writeFileSync(
    join(folder, config),
    `export default { input: './openapi.json', output: './consumers/${name}', plugins: ${plugins}, logs: { file: false } };`,
  );
  await run(node24, [join(modules, '@hey-api/openapi-ts/bin/run.js'), '-f', config], folder);
  await compile(
    join(folder, `consumers/${name}/sdk.gen.ts`),
    join(folder, `contenders/${name}.generated.mjs`),
  );
  await compile(
    join(folder, `consumers/${name}/client/index.ts`),
    join(folder, `contenders/${name}.client.generated.mjs`),
  );
}

const compile = (from: string, to: string) =>
  build({
    entryPoints: [from],
    outfile: to,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    minify: true,
  });

/** Packages stay external, as they are in an application that is not bundled. */
const packagesOnly: Plugin = {
  name: 'packages only',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Writes a script for each client that makes its first call, as ESM and as CommonJS. */
async function writeColdStarts(folder: string, contenders: readonly string[]): Promise<void> {
  const probe = readFileSync(join(here, 'probes/cold.mjs'), 'utf8');
  // For CommonJS from files named .js, so that a default import means what `require('x').default` does.
  const scripts = join(folder, 'scripts');
  mkdirSync(scripts);
  for (const name of readdirSync(join(folder, 'contenders'))) {
    const source = readFileSync(join(folder, 'contenders', name), 'utf8');
    writeFileSync(
      join(scripts, name.replace(/mjs$/, 'js')),
      source.replace(/(from '\.\/[^']+)\.mjs'/g, "$1.js'"),
    );
  }
  for (const name of contenders) {
    for (const [format, end, source] of [
      ['esm', 'mjs', `./contenders/${name}.mjs`],
      ['cjs', 'cjs', `./scripts/${name}.js`],
    ] as const) {
      await build({
        stdin: { contents: probe.replace('CONTENDER', source), resolveDir: folder, sourcefile: 'cold.js' },
        outfile: join(folder, `cold-${name}.${end}`),
        bundle: true,
        plugins: [packagesOnly],
        format,
        platform: 'node',
        target: 'es2022',
      });
    }
  }
}
