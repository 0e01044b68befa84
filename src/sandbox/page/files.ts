import { readFileSync } from 'node:fs';

/**
 * The page's script and style, which the build puts beside this module. It is reached as `#sandbox-page` of package.json, so that both
 * formats find it; tests put one in its place that bundles from source.
 */
const read = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');

/** Read when they are asked for: a bundler may load this module with the sandbox, in a folder without these files. */
export const script = (): string => read('main.js');
export const style = (): string => read('main.css');
