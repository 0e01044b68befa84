// Webhooks in Hono: on Node here; on Bun, Deno and Workers the route is the same.
import { serve } from '@hono/node-server';
import { createWebhookHandler } from 'billpay/webhooks';
import { Hono } from 'hono';

const webhooks = createWebhookHandler({
  secret: process.env['BILLPAY_WEBHOOK_SECRET'],
  on: {
    'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
    'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
  },
});

const app = new Hono();
app.post('/webhooks/billpay', (context) => webhooks(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) });
