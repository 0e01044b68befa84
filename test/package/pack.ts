import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packs the package once for all tests, unless `BILLPAY_TARBALL` names a tarball, as in .ci/run. */
export function setup(): (() => void) | undefined {
  if (process.env['BILLPAY_TARBALL']) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'billpay-packed-'));
  const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { encoding: 'utf8' });
  process.env['BILLPAY_TARBALL'] = join(folder, name.trim());
  return () => rmSync(folder, { recursive: true });
}
