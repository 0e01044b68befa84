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
import { type Packed, packPackage } from '../runtimes/package.js';
import type { Gap } from './measure.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = join(here, '../tools/node_modules');

/** The newer of the two Node versions that are measured; the stub runs on it too. */
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
  const contenders = readdirSync(join(here, 'contenders'))
    .map((name) => name.replace('.mjs', ''))
    .filter((name) => name !== 'sale');
  await writeColdStarts(folder, contenders);
  return {
    folder,
    packed,
    contenders,
    gaps: [],
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
