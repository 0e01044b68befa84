/**
 * The public surface of the built package, one report for each entry point, in test/api-report/reports.
 * Run: npx tsx test/api-report/run.ts (compares) or npx tsx test/api-report/run.ts --update (writes).
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const root = fileURLToPath(new URL('../..', import.meta.url));
const reportFolder = join(root, 'test/api-report/reports');
const update = process.argv.includes('--update');

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<
    Record<string, { readonly types?: string; readonly import?: { readonly types?: string } } | string>
  >;
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const silent = { logLevel: ExtractorLogLevel.None };

/** Reports one entry point; false when it differs from the checked-in report. */
function reportEntry(entry: string, types: string, tempFolder: string): boolean {
  const reportFileName = `${[manifest.name, ...entry.split('/').slice(1)].join('-')}.api.md`;
  const extractorConfig = ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, types),
      compiler: { tsconfigFilePath: join(root, 'test/api-report/tsconfig.json') },
      apiReport: { enabled: true, reportFileName, reportFolder, reportTempFolder: tempFolder },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: { default: silent },
        tsdocMessageReporting: { default: silent },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  });
  const { apiReportChanged } = Extractor.invoke(extractorConfig, {
    localBuild: update,
    // Its own messages name temporary folders; the difference itself is printed below.
    messageCallback: (message) => {
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  if (update || !apiReportChanged) return true;
  const files = [join(reportFolder, reportFileName), join(tempFolder, reportFileName)];
  spawnSync('diff', ['-u', ...files], { stdio: 'inherit' });
  return false;
}

mkdirSync(reportFolder, { recursive: true });
const tempFolder = mkdtempSync(join(tmpdir(), 'billpay-api-report-'));
let same = true;
for (const [entry, target] of Object.entries(manifest.exports)) {
  const types = typeof target === 'string' ? undefined : (target.types ?? target.import?.types);
  if (types) same = reportEntry(entry, types, tempFolder) && same;
}
rmSync(tempFolder, { recursive: true });
if (!same) {
  console.error(
    'The public surface differs from test/api-report/reports. If that is intended: npx tsx test/api-report/run.ts --update',
  );
  process.exitCode = 1;
}
