import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** An empty project in which the packed tarball is installed, as pack.ts has done it; returns its folder. */
export function installedConsumer(manifest: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-consumer-'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, ...manifest }),
  );
  const installed = join(String(process.env['BILLPAY_INSTALLED']), 'node_modules');
  cpSync(installed, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  return folder;
}

/** Adds an optional peer dependency of the package to a consumer, as this repository has it installed. */
export function addPeer(consumer: string, name: string): void {
  const link = join(consumer, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), link, 'junction');
}
