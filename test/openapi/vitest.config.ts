import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';

/** Checks of docs/openapi.json by tools of others: `npm run check:package`. */
export default defineConfig({
  resolve: root.resolve ?? {},
  test: { include: ['test/openapi/*.test.ts'], testTimeout: 180_000 },
});
