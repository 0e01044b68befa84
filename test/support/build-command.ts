import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** Bundles the command `billpay-sandbox` as the package does, in parts that are loaded when they are needed. Returns its file. */
export async function buildCommand(folder: string): Promise<string> {
  await build({
    entryPoints: { command: source('sandbox/command/index.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    alias: { '#hmac': source('webhooks/hmac/node.ts') },
  });
  return join(folder, 'command.mjs');
}
