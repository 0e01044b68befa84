import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A program in one file, in a folder of its own that its test may use. */
export interface BundledProgram {
  readonly folder: string;
  readonly program: string;
  remove(): Promise<void>;
}

/** Bundles a program with the package's source, so that its processes start quickly: `bundleProgram(new URL('child.ts', import.meta.url))`. */
export async function bundleProgram(entry: URL): Promise<BundledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'billpay-program-'));
  const program = join(folder, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    alias: { '#hmac': fileURLToPath(new URL('../../src/webhooks/hmac/node.ts', import.meta.url)) },
  });
  return { folder, program, remove: () => rm(folder, { recursive: true, force: true }) };
}
