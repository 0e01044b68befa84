import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packs the package, unless `BILLPAY_TARBALL` names a tarball, as in .ci/run, and installs it once, for all tests. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-packed-'));
  const npm = (...args: string[]) => execFileSync('npm', [...args, '--silent'], { encoding: 'utf8' });
  const tarball =
    process.env['BILLPAY_TARBALL'] ?? join(folder, npm('pack', '--pack-destination', folder).trim());
  writeFileSync(join(folder, 'package.json'), '{}');
  // The package has no dependencies, so no registry is needed.
  npm('install', '--prefix', folder, '--offline', '--no-audit', '--no-fund', tarball);
  process.env['BILLPAY_INSTALLED'] = folder;
  return () => rmSync(folder, { recursive: true });
}
