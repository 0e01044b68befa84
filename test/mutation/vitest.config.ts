import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';
import { folders } from './folders.js';

const patterns = folders[process.env['MUTATION_FOLDER'] ?? ''] ?? Object.values(folders).flat();

const rootAliases = root.resolve?.alias;

export default defineConfig({
  resolve: {
    alias: [
      ...(Array.isArray(rootAliases) ? rootAliases : []),
      // As src imports it; its own test names it in another way, and gets the real one.
      {
        find: /^(\.|\.\.\/contract)\/lazily\.js$/,
        replacement: fileURLToPath(new URL('each-time.ts', import.meta.url)),
      },
    ],
  },
  test: {
    include: patterns.filter((pattern) => !pattern.startsWith('!')),
    exclude: patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
    // One import of everything a mutant. It is safe: each mutant still gets a worker of its own.
    isolate: false,
    maxWorkers: 1,
    pool: 'threads',
    // A mutant that never answers is found by this, long before Stryker gives up on the whole run.
    testTimeout: 10_000,
  },
});
