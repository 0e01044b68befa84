import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { errorResponses } from '../../src/errors/error-responses.js';
import * as errors from '../../src/errors/index.js';

const source = readFileSync(new URL('../../src/errors/index.ts', import.meta.url), 'utf8');

/** Each class of the tree at the head of `errors/index.ts`, with its depth there and what stands beside it. */
const tree = [...source.matchAll(/^\/\/ ((?:│ {2})*(?:[├└]─ )?)(\w+Error)\s+(.+)$/gm)].map(
  ([, branches = '', name = '', what = '']) => ({ depth: branches.length / 3, name, what }),
);

/** The class above a class of this package: `errorClass` and `errorResponse` put one without a name between them. */
function parentOf(name: string): string | undefined {
  const names = Object.keys(errors);
  let at: unknown = Object.getPrototypeOf(Reflect.get(errors, name));
  for (; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    const parent = names.find((one) => Reflect.get(errors, one) === at);
    if (parent) return parent;
  }
  return undefined;
}

it('the tree at the head of errors/index.ts has every class, below its parent', () => {
  const classes = Object.keys(errors).filter((name) => name.endsWith('Error') && name !== 'isBillPayError');
  expect(tree.map(({ name }) => name).sort()).toEqual(classes.sort());
  for (const [at, { depth, name }] of tree.entries()) {
    const above = tree.slice(0, at).findLast((one) => one.depth < depth);
    expect({ name, parent: parentOf(name) }).toEqual({ name, parent: above?.name });
  }
});

it.each(errorResponses)('the tree has the status and the code of $name', (row) => {
  const what = tree.find((one) => one.name === row.name)?.what;
  if (row.name === 'ServerError') expect(what).toBe('every other 5xx');
  else expect(what).toMatch(new RegExp(`^${row.status}${'anyCode' in row ? '' : ` ${row.code}`}\\b`));
});

/** Bundled with ky, which has classes of some of these names, and with them the bundler would rename ours. */
it.each(['esm', 'cjs'] as const)(
  'the classes have the names that they are exported by, built as %s',
  async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-names-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const outfile = join(folder, format === 'esm' ? 'index.mjs' : 'index.cjs');
    const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
    await build({ entryPoints: [entry], bundle: true, format, platform: 'node', target: 'es2022', outfile });
    const copy: object =
      format === 'esm' ? await import(pathToFileURL(outfile).href) : createRequire(import.meta.url)(outfile);
    const classes = Object.entries(copy).filter(([name]) => /^[A-Z]\w*(Error|Pay)$/.test(name));
    expect(classes.length).toBeGreaterThan(20);
    expect(classes.map(([, value]) => Reflect.get(value, 'name'))).toEqual(classes.map(([name]) => name));
  },
);
