// Webhooks in a Next route handler: app/webhooks/billpay/route.ts
import { createWebhookHandler } from 'billpay/webhooks';

// `next build` loads this file without the secret, which is needed from the first delivery on.
// In production pass a shared store as `dedupe`: Next may run this file in several processes at once.
export const POST = createWebhookHandler({
  secret: process.env['BILLPAY_WEBHOOK_SECRET'],
  on: {
    'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
    'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
  },
});
