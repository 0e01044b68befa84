import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('npm version names the version in the changelog, in the sources and in a tag', () => {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-release-'));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const git = (...args: string[]) =>
    run('git', '-c', 'user.name=test', '-c', 'user.email=test@example', ...args);
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  try {
    git('clone', '--quiet', '--depth', '1', `file://${root}`, '.');
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const changelog = read('CHANGELOG.md').replace(
      /## \[Unreleased\]\n(?=\n## )/,
      '$&\n### Added\n\n- A call.\n',
    );
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
    git('commit', '--quiet', '--allow-empty', '--all', '--message', 'Add a call');
    git('config', 'user.name', 'test');
    git('config', 'user.email', 'test@example');
    run('npm', 'version', '99.0.0', '--silent');
    expect(read('CHANGELOG.md')).toMatch(/## \[Unreleased\]\n\n## \[99\.0\.0\] - \d{4}-\d\d-\d\d\n/);
    expect(read('src/version.ts')).toContain("'99.0.0'");
    expect(git('tag', '--list').trim()).toBe('v99.0.0');
    expect(git('status', '--porcelain', '--untracked-files=no').trim()).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
