import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** Files whose tests start processes and wait for them take up to minutes: they begin first, so that no worker is left with one at the end. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(integration|chaos)\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: '#sandbox-page', replacement: source('../test/support/page-from-source.ts') },
      { find: /^fast-check$/, replacement: source('../test/support/fast-check.ts') },
      { find: /^billpay$/, replacement: source('index.ts') },
      {
        find: /^billpay\/(webhooks|node|bulk|orders|opentelemetry|sandbox)$/,
        replacement: source('$1/index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'test/openapi/**',
      'test/package/**',
      'test/runtimes/**',
      'test/bench/**',
    ],
    // Vitest leaves one processor free, which on two of them doubles the time.
    maxWorkers: '100%',
    sequence: { sequencer: LongFilesFirst },
    // Of tests that are concurrent: each of them starts processes of its own.
    maxConcurrency: 3,
    // These only end what hangs: no test depends on the speed of the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    coverage: {
      provider: 'v8',
      enabled: process.env['CI'] === 'true',
      include: ['src/**/*.{ts,tsx}'],
      // Not measured: a program that tests start as a process of its own, and the page's script, which runs in Chromium.
      exclude: ['src/commands/billpay.ts', 'src/sandbox/page/client/**'],
      reporter: ['text', 'json-summary'],
      thresholds: { lines: 97, branches: 93 },
    },
  },
});
