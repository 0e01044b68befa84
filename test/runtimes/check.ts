import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Packed } from './package.js';
import type { Service } from './service.js';
import type { Place, Report } from './suite.js';

/** Everything that a check needs. */
export interface Bench {
  readonly packed: Packed;
  readonly service: Service;
  /** The shared list of cases, compiled. */
  readonly suite: { readonly esm: string; readonly cjs: string };
}

/** One check: one line of the output. */
export interface Check {
  /** Runtime, version, module format and HMAC implementation. */
  readonly name: string;
  /** Resolves to the number of cases that passed; rejects with those that failed. */
  run(bench: Bench): Promise<number>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A file of test/runtimes/consumers. */
export const template = (name: string): string => readFileSync(here(`consumers/${name}`), 'utf8');

/** The shared list of vectors and calls, as ESM and CommonJS for any runtime. */
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

/** Marks the line of a runtime's output that is its report. */
export const reportMark = 'REPORT ';

export function reportIn(printed: string): Report {
  const line = printed.split('\n').find((text) => text.includes(reportMark));
  if (!line) throw new Error(`no report in: ${printed}`);
  return JSON.parse(line.slice(line.indexOf(reportMark) + reportMark.length));
}

/** The number of cases that passed. Throws unless all did and the wallet agrees. */
export function passedIn(report: Report, place: Place, service: Service): number {
  const failures = report.failed.map(({ name, why }) => `${name}: ${why}`);
  const books = service.wrongIn(place, report);
  if (books) failures.push(books);
  if (failures.length > 0) throw new Error(failures.join('\n'));
  if (report.passed.length === 0) throw new Error('nothing ran');
  return report.passed.length;
}

/** Environment variables with the address of the service. */
export const placeEnv = (place: Place): NodeJS.ProcessEnv => ({ PLACE: JSON.stringify(place) });
