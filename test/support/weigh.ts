import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes of a consumer's bundle, minified and gzipped; packages are resolved from `resolveDir`. */
export async function bundledBytes(contents: string, resolveDir: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    // The paths of this repository's tsconfig would lead to the sources instead of dist.
    tsconfigRaw: '{}',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['node:*'],
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  if (!file) throw new Error('esbuild wrote nothing');
  return gzipSync(file.contents).length;
}
