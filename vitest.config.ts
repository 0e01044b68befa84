import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: '#hmac', replacement: source('webhooks/hmac/node.ts') },
      { find: /^fast-check$/, replacement: source('../test/support/fast-check.ts') },
      { find: /^billpay$/, replacement: source('index.ts') },
      {
        find: /^billpay\/(webhooks|node|bulk|orders|orders\/testing|opentelemetry|sandbox)$/,
        replacement: source('$1/index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'test/openapi/tools/**',
      'test/package/**',
      'test/runtimes/**',
      'test/bench/**',
    ],
    // Vitest leaves one processor free, which on two of them doubles the time.
    maxWorkers: '100%',
    // Of tests that are concurrent: each of them starts processes of its own.
    maxConcurrency: 3,
    // These only end what hangs: no test depends on the speed of the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    coverage: {
      provider: 'v8',
      enabled: process.env['CI'] === 'true',
      include: ['src/**/*.ts'],
      // Programs that tests start as processes of their own, which are not measured.
      exclude: ['src/billpay.ts', 'src/**/command/index.ts', 'src/*/command.ts', 'src/prove/shop-process.ts'],
      reporter: ['text', 'json-summary'],
      thresholds: { lines: 97, branches: 94 },
    },
  },
});
