// Webhooks in Fastify 5.
import { createWebhookHandler } from 'billpay/webhooks';
import fastify from 'fastify';

const webhooks = createWebhookHandler({
  secret: process.env['BILLPAY_WEBHOOK_SECRET'],
  on: {
    'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
    'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
  },
});

const app = fastify();
// A scope of its own, in which bodies stay raw because the signature covers their bytes. Elsewhere they are parsed.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.post('/webhooks/billpay', async ({ method, headers, body }, reply) => {
    const response = await webhooks.receive({ method, headers, body });
    return reply.code(response.status).headers(response.headers).send(response.body);
  });
});
await app.listen({ port: Number(process.env['PORT'] ?? 3000) });
