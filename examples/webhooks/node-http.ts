// Webhooks on a bare node:http server.
import { createServer } from 'node:http';
import { createWebhookHandler, toNodeHandler } from 'billpay/webhooks';

const webhooks = toNodeHandler(
  createWebhookHandler({
    secret: process.env['BILLPAY_WEBHOOK_SECRET'],
    on: {
      'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
      'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
    },
  }),
);

createServer((request, response) => {
  if (request.url === '/webhooks/billpay') webhooks(request, response);
  else response.writeHead(404).end();
}).listen(Number(process.env['PORT'] ?? 3000));
