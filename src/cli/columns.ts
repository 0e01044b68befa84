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

export function wrapped(text: string, width = lineWidth): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
