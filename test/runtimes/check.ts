import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Packed } from './package.js';
import type { Service } from './service.js';
import type { Place, Report } from './suite.js';

/** What a check works with. */
export interface Bench {
  readonly packed: Packed;
  readonly service: Service;
  /** The shared list, compiled. */
  readonly suite: { readonly esm: string; readonly cjs: string };
}

/** One line of the output. */
export interface Check {
  /** What runs: name, version, module format, which HMAC. */
  readonly name: string;
  /** How many things passed; rejects with what did not. */
  run(bench: Bench): Promise<number>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A file of test/runtimes/consumers. */
export const template = (name: string): string => readFileSync(here(`consumers/${name}`), 'utf8');

/** The shared list of vectors and calls, as ESM and CommonJS that any runtime takes. */
export async function compileSuite(): Promise<Bench['suite']> {
  const compiled = async (format: 'esm' | 'cjs') => {
    const { outputFiles } = await build({
      entryPoints: [here('suite.ts')],
      bundle: true,
      format,
      target: 'es2022',
      write: false,
    });
    const [file] = outputFiles;
    if (!file) throw new Error('esbuild wrote nothing');
    return file.text;
  };
  return { esm: await compiled('esm'), cjs: await compiled('cjs') };
}

/** Between the lines that a runtime printed, the one that is its report. */
export const reportMark = 'REPORT ';

export function reportIn(printed: string): Report {
  const line = printed.split('\n').find((text) => text.includes(reportMark));
  if (!line) throw new Error(`no report in: ${printed}`);
  return JSON.parse(line.slice(line.indexOf(reportMark) + reportMark.length));
}

/** How many cases passed, where all did and the wallet agrees. */
export function passedIn(report: Report, place: Place, service: Service): number {
  const failures = report.failed.map(({ name, why }) => `${name}: ${why}`);
  const books = service.wrongIn(place, report);
  if (books) failures.push(books);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  if (report.passed.length === 0) throw new Error('nothing ran');
  return report.passed.length;
}

/** The environment that tells a consumer where the service is. */
export const placeEnv = (place: Place): NodeJS.ProcessEnv => ({ PLACE: JSON.stringify(place) });
