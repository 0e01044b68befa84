import { Stryker } from '@stryker-mutator/core';
import { folders } from './folders.js';

/**
 * Mutation testing, one folder after the other: `npm run mutation`, `npm run mutation -- errors http`, or single files with
 * `npm run mutation -- http --files retry,charge`. Each folder's report goes to reports/mutation; see docs/evidence.md.
 */

const leastScore = 90;

/** Where local time is GMT, nobody would notice that one was taken for the other. */
process.env['TZ'] = 'Asia/Kolkata';

const given = process.argv.slice(2);
const filesAt = given.indexOf('--files');
const files = filesAt < 0 ? [] : (given[filesAt + 1] ?? '').split(',');
const asked = filesAt < 0 ? given : given.slice(0, filesAt);
const chosen = asked.length > 0 ? asked : Object.keys(folders);

/** A part of a folder must not overwrite what is known of the whole. */
const suffix = files.length > 0 ? '-part' : '';

const detected = new Set(['Killed', 'Timeout']);
const missed = new Set(['Survived', 'NoCoverage']);
const lines: string[] = [];
let short = false;

for (const folder of chosen) {
  if (!folders[folder])
    throw new Error(`'${folder}' is not mutated; what is: ${Object.keys(folders).join(', ')}`);
  process.env['MUTATION_FOLDER'] = folder;
  const results = await new Stryker({
    mutate: files.length > 0 ? files.map((file) => `src/${folder}/${file}.ts`) : [`src/${folder}/**/*.ts`],
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: 30_000,
    // The incremental file would add the remembered results of other files to the report of a part.
    incremental: files.length === 0,
    incrementalFile: `reports/mutation/${folder}-incremental.json`,
    reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
    clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `reports/mutation/${folder}${suffix}.json` },
    htmlReporter: { fileName: `reports/mutation/${folder}${suffix}.html` },
    tempDirName: '.stryker-tmp',
    ignorePatterns: [
      '/dist',
      '/docs',
      '/examples',
      '/test/bench',
      '/test/runtimes',
      '/test/tools',
      '/coverage',
      '/reports',
    ],
    allowConsoleColors: false,
  }).runMutationTest();

  const count = (statuses: ReadonlySet<string>) =>
    results.filter(({ status }) => statuses.has(status)).length;
  const [found, lost] = [count(detected), count(missed)];
  const score = (100 * found) / (found + lost);
  short ||= !(score >= leastScore);
  lines.push(
    `src/${folder}: ${score.toFixed(2)}% of ${found + lost} (${['Killed', 'Timeout', 'Survived', 'NoCoverage']
      .map((status) => `${count(new Set([status]))} ${status}`)
      .join(', ')})`,
  );
}

console.log(lines.join('\n'));
if (short) {
  console.error(`Below ${leastScore}%`);
  process.exitCode = 1;
}
