import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cutRelease } from './changelog.js';

/**
 * Prepares a release: `npm run release`, or `npm run release -- --dry-run`, which does the same in a temporary clone and changes nothing here.
 * Without a changeset, as after each release, the dry run has nothing to do, and a release is refused.
 *
 * The changesets decide the version. It goes to package.json, the lock, src/version.ts and CHANGELOG.md; then the package is built and its
 * contents are printed. Publishing is the work of .github/workflows/release.yml, once the commit and its tag are pushed.
 */
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });

if (values['dry-run']) {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-release-'));
  try {
    run('git', ['clone', '--quiet', process.cwd(), folder], process.cwd());
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
    const version = prepareRelease(folder);
    console.log(
      version === undefined
        ? 'Dry run: there is no changeset, so there is nothing to release.'
        : `Dry run: billpay ${version} could be released. Nothing was changed.`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
} else {
  if (run('git', ['status', '--porcelain'], process.cwd()) !== '')
    throw new Error('There are uncommitted changes. Commit or remove them, then run npm run release again.');
  const version = prepareRelease(process.cwd());
  if (version === undefined) throw new Error('There is no changeset to release. Add one with: npx changeset');
  console.log(`Look at git diff, then:
  git commit -am 'Release ${version}' && git tag v${version}
  git push origin main v${version}`);
}

/** Returns the new version, or undefined where no changeset asks for one. */
function prepareRelease(folder: string): string | undefined {
  const before = manifestOf(folder).version;
  run(join(folder, 'node_modules/.bin/changeset'), ['version'], folder);
  const { version } = manifestOf(folder);
  if (version === before) return undefined;

  run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline'], folder);
  edit(join(folder, 'src/version.ts'), (text) => text.replace(`'${before}'`, `'${version}'`));
  edit(join(folder, 'CHANGELOG.md'), (text) =>
    cutRelease(text, version, new Date().toISOString().slice(0, 10)),
  );

  run('npm', ['run', 'build', '--silent'], folder);
  const [tarball] = JSON.parse(run('npm', ['pack', '--dry-run', '--json', '--silent'], folder)) as {
    size: number;
    unpackedSize: number;
    files: { path: string }[];
  }[];
  console.log(tarball?.files.map(({ path }) => `  ${path}`).join('\n'));
  console.log(
    `billpay ${before} -> ${version}: ${tarball?.files.length} files, ${tarball?.size} bytes, ${tarball?.unpackedSize} bytes unpacked`,
  );
  return version;
}

function manifestOf(folder: string): { readonly version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
}

function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${file} does not have the text that a release changes`);
  writeFileSync(file, changed);
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
