import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cutRelease } from './changelog.js';

/**
 * The `version` step of `npm version minor`: gives the changes under [Unreleased] the new version, and adds both files to the commit that npm
 * makes and tags.
 */
const version = String(process.env['npm_package_version']);
const date = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', cutRelease(readFileSync('CHANGELOG.md', 'utf8'), version, date));
writeFileSync(
  'src/version.ts',
  `/** This package's version, as package.json has it. */\nexport const version = '${version}';\n`,
);
execFileSync('git', ['add', 'CHANGELOG.md', 'src/version.ts']);
