import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Checks of docs/openapi.json by tools of others: `npm run test:openapi`. */
export default defineConfig({
  resolve: {
    alias: [
      {
        find: '#hmac',
        replacement: fileURLToPath(new URL('../../../src/webhooks/hmac/node.ts', import.meta.url)),
      },
    ],
  },
  test: { include: ['test/openapi/tools/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000 },
});
