import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** Bundles the command `billpay` as the package does, in parts that are loaded when they are needed. Returns its file. */
export async function buildCommand(folder: string): Promise<string> {
  await build({
    entryPoints: { command: source('commands/billpay.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    // commander is CommonJS.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  return join(folder, 'command.mjs');
}
