import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** The page's script and style, as text to put into its HTML. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const library = (path: string): string => here(`../../../node_modules/preact/${path}`);

/**
 * Bundles the page from `client/`. For development and for the build of the package: neither esbuild nor Preact is needed at run
 * time. Nothing is minified, and Preact comes from its sources, so that the script can be read in a browser.
 */
export function buildPage(): PageAssets {
  const { outputFiles } = buildSync({
    entryPoints: [here('client/main.tsx')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    platform: 'browser',
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: {
      preact: library('src/index.js'),
      'preact/hooks': library('hooks/src/index.js'),
      'preact/jsx-runtime': library('jsx-runtime/src/index.js'),
    },
  });
  const script = outputFiles[0]?.text ?? '';
  return { script, style: readFileSync(here('client/style.css'), 'utf8') };
}
