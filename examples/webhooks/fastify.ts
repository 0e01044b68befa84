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
// A scope of its own: here bodies stay raw, because the signature is over their bytes; elsewhere they are parsed.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.post('/webhooks/billpay', async ({ method, headers, body }, reply) => {
    const answer = await webhooks.receive({ method, headers, body });
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  });
});
await app.listen({ port: Number(process.env['PORT'] ?? 3000) });
