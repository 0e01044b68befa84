import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';
import { folders } from './folders.js';

const patterns = folders[process.env['MUTATION_FOLDER'] ?? ''] ?? Object.values(folders).flat();

export default defineConfig({
  resolve: root.resolve ?? {},
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
