import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * The sandbox's page, bundled from source as the build of the package bundles it.
 *
 * @param isMinified - false for the coverage: readable, with a source map that leads to the components.
 */
export async function bundlePage({ isMinified = true } = {}): Promise<{ script: string; style: string }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/sandbox/page/client/main.tsx', import.meta.url))],
    bundle: true,
    minify: isMinified,
    sourcemap: isMinified ? false : 'inline',
    write: false,
    outdir: 'page',
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    charset: 'utf8',
  });
  const textOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}
