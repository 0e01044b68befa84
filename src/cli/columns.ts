import { stripVTControlCharacters } from 'node:util';

/** The narrowest terminal that everything is printed for. */
const lineWidth = 80;
const minColumn = 16;
const maxColumn = 26;

/** Names and explanations in two columns, in lines of at most 80 characters. A long name has a line of its own. */
export function columns(rows: readonly (readonly [name: string, help: string])[]): string[] {
  const longest = Math.max(...rows.map(([name]) => name.length + 2));
  const width = Math.min(maxColumn, Math.max(minColumn, longest));
  return rows.flatMap(([name, help]) => {
    const lines = wrapped(help, lineWidth - width - 2);
    const isLong = name.length + 2 > width;
    const [first = '', ...rest] = isLong ? ['', ...lines] : lines;
    return [`  ${name.padEnd(width)}${first}`, ...rest.map((line) => ' '.repeat(width + 2) + line)].map(
      (line) => line.trimEnd(),
    );
  });
}

/** A text in lines of at most `width` characters, of which all but the first begin with `indent`. Colours take no room. */
export function wrapped(text: string, width = lineWidth, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll(/\s*\n\s*/g, ' ').match(/\s*\S+/g) ?? []) {
    if (visibleLength(line + word) <= width) {
      line += word;
      continue;
    }
    if (line !== '') lines.push(line);
    line = (lines.length === 0 ? '' : indent) + word.trimStart();
    // A word that is longer than a line, such as an address.
    while (visibleLength(line) > width) {
      lines.push(line.slice(0, width));
      line = indent + line.slice(width);
    }
  }
  return line === '' ? lines : [...lines, line];
}

const visibleLength = (text: string): number => stripVTControlCharacters(text).length;
