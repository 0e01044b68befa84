import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type * as billpay from '../../src/index.js';
import { acceptance, airtime } from '../support/envelopes.js';
import { leavingNothing } from '../support/sockets.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const src = join(root, 'src');
const folder = mkdtempSync(join(tmpdir(), 'billpay-walk-'));
let kit: typeof billpay;

/** The functions that were entered and left, in order. */
let steps: { readonly file: string; readonly name: string; readonly isEntry: boolean }[] = [];

/** JavaScript in which each function notes when it is entered and when it has ended, an async one at the end of its promise. */
function noting(source: string, file: string): string {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true);
  const insertions: [at: number, text: string][] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const body = node.body as ts.ConciseBody;
      const name =
        node.name?.getText() ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : '');
      const what = `${JSON.stringify(file)}, ${JSON.stringify(name)}`;
      const [open, close] = ts.isBlock(body)
        ? [[body.getStart() + 1, ''] as const, [body.end - 1, ''] as const]
        : [[body.getFullStart(), '{ '] as const, [body.end, ' }'] as const];
      const before = `${open[1]} __step(${what}, true); try { ${ts.isBlock(body) ? '' : 'return ('}`;
      const after = `${ts.isBlock(body) ? '' : ')'} } finally { __step(${what}, false); }${close[1]}`;
      insertions.push([open[0], before], [close[0], after]);
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  const ordered = insertions.map((insertion, order) => ({ insertion, order }));
  // From the end to the start, so that the positions before stay right; at one position the outer function closes last.
  ordered.sort((a, b) => b.insertion[0] - a.insertion[0] || a.order - b.order);
  return ordered.reduce(
    (text, { insertion: [at, added] }) => text.slice(0, at) + added + text.slice(at),
    source,
  );
}

beforeAll(async () => {
  const outfile = join(folder, 'index.mjs');
  await build({
    entryPoints: [join(src, 'index.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    external: ['#*'],
    plugins: [
      {
        name: 'note-functions',
        setup: ({ onLoad }) =>
          onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
            const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
              compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
            });
            const file = relative(src, path).replaceAll('\\', '/');
            return { loader: 'js', contents: noting(outputText, file) };
          }),
      },
    ],
  });
  const step = (file: string, name: string, isEntry: boolean) => steps.push({ file, name, isEntry });
  Reflect.set(globalThis, '__step', step);
  kit = await import(pathToFileURL(outfile).href);
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, '__step');
  rmSync(folder, { recursive: true, force: true });
});

/**
 * The files that a call walked through, in order. A file is entered when one of its functions starts while none of them is running, and
 * left when all have ended. Small helpers without an idea of the call (utils) are no part of the way.
 */
function filesOf(walked: typeof steps): string[] {
  const running = new Map<string, number>();
  const files: string[] = [];
  for (const { file, isEntry } of walked) {
    if (file.startsWith('utils/')) continue;
    const count = running.get(file) ?? 0;
    if (isEntry && count === 0 && files.at(-1) !== file) files.push(file);
    running.set(file, count + (isEntry ? 1 : -1));
  }
  return files;
}

/** The numbered list of that section in docs/contributing.md. */
function documentedWay(): string[] {
  const page = readFileSync(join(root, 'docs/contributing.md'), 'utf8');
  const section = page.split(/^###? /m).find((text) => text.startsWith('The way of a purchase')) ?? '';
  return Array.from(section.matchAll(/^\d+\. `([a-z-]+\/[a-z-]+\.ts)`/gm), ([, file]) => file ?? '');
}

it('a purchase walks at most 11 files and 32 functions, and comes back to none', () =>
  leavingNothing(async (net) => {
    const server = await net.http((_, response) =>
      response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(acceptance())),
    );
    const client = new kit.BillPay({ apiKey: 'sk_test_1', clientId: 'client-1', baseUrl: server.baseUrl });
    const buy = (key: string) => client.airtime.purchase({ ...airtime, idempotency_key: key });
    await buy('order-1');
    steps = [];
    await buy('order-2');
    const files = filesOf(steps);
    // Functions without a name are parts of those around them.
    const named = new Set(
      steps
        .filter(({ file, name }) => name && !file.startsWith('utils/'))
        .map(({ file, name }) => `${file} ${name}`),
    );
    if (process.env['SHOW_WALK']) {
      const entered = steps.filter(({ isEntry }) => isEntry).map(({ file, name }) => `${file} ${name}`);
      console.log([...entered, '', ...files, `${named.size} functions`].join('\n'));
    }
    expect(files.length).toBeLessThanOrEqual(11);
    expect(named.size).toBeLessThanOrEqual(32);
    // A file that the call came back to would be listed twice.
    expect(files).toEqual(documentedWay());
  }));
