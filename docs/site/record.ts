import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Records `npm run quickstart` in a terminal and writes docs/quickstart.svg: `npm run docs:record`. Needs `script` of util-linux. The lines
 * appear in their order at a fifth of their speed; the statement of the wallet is left out, for its length.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
const slowdown = 5;
const lineHeight = 17;
const characterWidth = 7.25;
const margin = 16;

interface Line {
  readonly text: string;
  readonly atMs: number;
}

/** Runs a command in a terminal and resolves to its lines with their times. */
function recorded(command: string): Promise<Line[]> {
  const lines: Line[] = [];
  const startedAt = performance.now();
  let rest = '';
  const { NO_COLOR: _, ...environment } = process.env;
  const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: root,
    env: { ...environment, TERM: 'xterm', FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split(/\r?\n/);
    rest = parts.pop() ?? '';
    const atMs = performance.now() - startedAt;
    lines.push(...parts.map((text) => ({ text, atMs })));
  });
  return new Promise((resolve, reject) => {
    terminal.on('error', reject);
    terminal.on('close', (code) =>
      code === 0 ? resolve(lines) : reject(new Error(`${command} ended with ${code}`)),
    );
  });
}

/** The lines without the section that a headline begins. */
function without(headline: string, lines: readonly Line[]): Line[] {
  const from = lines.findIndex(({ text }) => plain(text) === headline);
  const length = lines.slice(from + 1).findIndex(({ text }) => plain(text) === '');
  return from < 0 ? [...lines] : [...lines.slice(0, from), ...lines.slice(from + length + 2)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals begin with this character.
const escapes = /\u001b\[([\d;]*)m/g;
const plain = (text: string): string => text.replace(escapes, '');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const classes: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
};

/** One line as SVG text; the sequences of the terminal become classes. */
function spans(text: string): string {
  let shown = '';
  let style = '';
  const parts = text.split(escapes);
  parts.forEach((part, index) => {
    if (index % 2 === 1) style = classes[part] ?? '';
    else if (part !== '') shown += style ? `<tspan class="${style}">${escaped(part)}</tspan>` : escaped(part);
  });
  return shown;
}

function drawing(lines: readonly Line[]): string {
  const columns = Math.max(...lines.map(({ text }) => plain(text).length));
  const width = Math.ceil(columns * characterWidth + 2 * margin);
  const height = lines.length * lineHeight + 2 * margin;
  const begin = lines[0]?.atMs ?? 0;
  const rows = lines.flatMap(({ text, atMs }, index) => {
    if (plain(text).trim() === '') return [];
    const delay = (((atMs - begin) * slowdown) / 1000).toFixed(1);
    const y = margin + (index + 0.75) * lineHeight;
    return `<text x="${margin}" y="${y}" style="animation-delay:${delay}s">${spans(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The quickstart in a terminal: it buys six products, loses a response, resumes that sale without a second charge, receives the webhooks and checks the books.">
<style>
:root { --paper: #f6f8fa; --ink: #1f2328; --dim: #59636e; --green: #116329; --yellow: #7d4e00; --red: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #161b22; --ink: #e6edf3; --dim: #9198a1; --green: #56d364; --yellow: #e3b341; --red: #ff7b72; }
}
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: var(--ink); white-space: pre; animation: show 0.2s both; }
.bold { font-weight: 700; } .dim { fill: var(--dim); } .green { fill: var(--green); } .yellow { fill: var(--yellow); } .red { fill: var(--red); }
@keyframes show { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { text { animation: none; } }
</style>
<rect width="100%" height="100%" rx="8" fill="var(--paper)"/>
${rows.join('\n')}
</svg>
`;
}

const lines = await recorded('node --import tsx examples/quickstart.ts');
const shown = without('Wallet', lines.slice(lines.findIndex(({ text }) => plain(text) !== '')));
writeFileSync(`${root}docs/quickstart.svg`, drawing(shown));
