import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('consists of nothing of ky or zod', async () => {
  const { metafile } = await build({
    entryPoints: ['src/node/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const libraries = Object.keys(metafile.inputs).flatMap(
    (file) => /node_modules\/([^/]+)/.exec(file)?.[1] ?? [],
  );
  expect([...new Set(libraries)]).toEqual([]);
  expect(Object.keys(metafile.inputs)).not.toContain('src/http/ky.ts');
});
