// Webhooks in Express 4 or 5.
import { createWebhookHandler, toNodeHandler } from 'billpay/webhooks';
import express from 'express';

const webhooks = createWebhookHandler({
  secret: process.env['BILLPAY_WEBHOOK_SECRET'],
  on: {
    'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
    'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
  },
});

const app = express();
// Before express.json(), because the signature covers the raw body, which a parser discards.
app.post('/webhooks/billpay', toNodeHandler(webhooks));
app.use(express.json());
app.listen(Number(process.env['PORT'] ?? 3000));
