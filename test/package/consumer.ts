import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Installs the packed tarball, which pack.ts has made, in an empty project; returns its folder. */
export function installedConsumer(manifest: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-consumer-'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, ...manifest }),
  );
  // The package has no dependencies, so no registry is needed.
  const flags = ['--offline', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', ...flags, String(process.env['BILLPAY_TARBALL'])], { cwd: folder });
  return folder;
}

/** Adds an optional peer dependency of the package to a consumer, as this repository has it installed. */
export function addPeer(consumer: string, name: string): void {
  const link = join(consumer, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), link, 'junction');
}
