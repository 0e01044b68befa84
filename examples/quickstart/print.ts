import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const colours = process.stdout.isTTY === true && !process.env['NO_COLOR'];

/** Styled text if the terminal supports it. */
export const styled = (style: Style, text: string): string => (colours ? styleText(style, text) : text);

/** `12,345.60`: NGN with its kobo. */
export const naira = (amount: number): string =>
  amount.toLocaleString('en-NG', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Hides all but the last four characters: whoever reads a token can use it. */
export const masked = (token: string | null): string =>
  token === null ? '' : `${'•'.repeat(Math.min(8, token.length - 4))}${token.slice(-4)}`;

/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly right?: boolean;
  readonly style?: (text: string) => Style | undefined;
}

/** A table with aligned columns. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[], style: (column: Column, text: string) => Style | undefined) =>
    columns
      .map((column, at) => {
        const text = cells[at] ?? '';
        const padded = column.right ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
        const wanted = style(column, text);
        return wanted ? styled(wanted, padded) : padded;
      })
      .join('  ')
      .trimEnd();
  return [
    line(
      columns.map(({ title }) => title),
      () => 'dim',
    ),
    ...rows.map((row) => line(row, (column, text) => column.style?.(text))),
  ]
    .map((text) => `  ${text}`)
    .join('\n');
}

/** Prints a headline. */
export const headline = (text: string): void => console.log(`\n${styled('bold', text)}`);

/** Prints one line. */
export const say = (text: string): void => console.log(`  ${text}`);
