import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';
import { folders } from './folders.js';

const patterns = folders[process.env['MUTATION_FOLDER'] ?? ''] ?? Object.values(folders).flat();

export default defineConfig({
  resolve: root.resolve ?? {},
  test: {
    include: patterns.filter((pattern) => !pattern.startsWith('!')),
    exclude: patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
    // Everything is imported once for each mutant. That is safe, because each mutant gets its own worker.
    isolate: false,
    maxWorkers: 1,
    pool: 'threads',
    // Ends a mutant that never settles, long before Stryker's own time-out for the whole run.
    testTimeout: 20_000,
  },
});
