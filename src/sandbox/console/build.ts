import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

/** The page's script and style, as text to put into its HTML. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/**
 * Bundles the page from `client/`. For development and for the build of the package: neither esbuild nor the page's libraries are
 * needed at run time. Only here something is minified: the page is an asset, not code that a caller steps into. For the coverage it is
 * readable, with a source map.
 */
export function buildPage({ isMinified = true } = {}): PageAssets {
  const { outputFiles } = buildSync({
    entryPoints: [here('client/main.tsx')],
    bundle: true,
    minify: isMinified,
    sourcemap: isMinified ? false : 'inline',
    write: false,
    format: 'iife',
    target: 'es2022',
    platform: 'browser',
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const style = readFileSync(here('client/style.css'), 'utf8');
  return {
    script: outputFiles[0]?.text ?? '',
    style: transformSync(style, { loader: 'css', minify: true, target: 'es2022' }).code,
  };
}
