import { defineConfig } from 'vitest/config';

/** Checks of the built package: run `npm run build` first. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: 'test/package/pack.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
