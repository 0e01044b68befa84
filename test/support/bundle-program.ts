import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** A program in one file, in a folder of its own that its test may use. */
export interface BundledProgram {
  readonly folder: string;
  readonly program: string;
  remove(): Promise<void>;
}

/** Bundles a program with the package's source, so that its processes start quickly: `bundleProgram(new URL('child.ts', import.meta.url))`. */
export async function bundleProgram(entry: URL): Promise<BundledProgram> {
  // Below node_modules, so that the program finds the packages that are not bundled.
  const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'billpay-program-'));
  const program = join(folder, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
    alias: {
      'billpay/orders': source('orders/index.ts'),
      billpay: source('index.ts'),
    },
  });
  return { folder, program, remove: () => rm(folder, { recursive: true, force: true }) };
}
