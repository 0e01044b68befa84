import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('../../src/sandbox/page/client/main.tsx', import.meta.url))],
  bundle: true,
  minify: true,
  write: false,
  outdir: 'page',
  format: 'esm',
  target: 'es2022',
  platform: 'browser',
});
const textOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';

/** `#sandbox-page` where the package was not built: in tests, and where the sandbox is started from source. */
export const script = (): string => textOf('.js');
export const style = (): string => textOf('.css');
