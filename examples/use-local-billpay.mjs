// Puts this repository's built package into node_modules, packed as it would be published.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'billpay-pack-'));
const target = join(here, 'node_modules/billpay');
const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, join(here, '..')];
const tarball =
  process.env.BILLPAY_TARBALL ??
  join(folder, execFileSync('npm', pack, { cwd: here, encoding: 'utf8' }).trim());
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
rmSync(folder, { recursive: true });
