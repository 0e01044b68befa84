import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';

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
