import type { Figures } from './measure.js';

/** A cell of a table. */
type Cell = string | number | undefined;

/** A table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => cell ?? '-').join(' | ')} |`)
    .join('\n');

/** A figure with so many digits; a dash where there is none. */
export const fixed = (value: number | undefined, digits: number): string =>
  value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits);

/** Bytes in kB. */
export const kB = (bytes: number | undefined, digits = 1): string =>
  fixed(bytes === undefined ? bytes : bytes / 1000, digits);

/** The names by their figures, the least first; those without a figure at the end. */
export const byRatio = (figures: Figures): string[] => {
  const rank = (name: string) => {
    const value = figures[name] ?? Number.NaN;
    return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
  };
  return Object.keys(figures).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
};
