// Webhooks in a Next route handler: app/webhooks/billpay/route.ts
import { createWebhookHandler, type WebhookHandler } from 'billpay/webhooks';

// In production pass a shared store as `dedupe`: Next may run this file in several processes at once.
const create = () =>
  createWebhookHandler({
    secret: process.env['BILLPAY_WEBHOOK_SECRET'],
    on: {
      'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
      'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
    },
  });

// Created at the first request, because `next build` loads this file without the secret.
let webhooks: WebhookHandler | undefined;

export function POST(request: Request): Promise<Response> {
  webhooks ??= create();
  return webhooks(request);
}
