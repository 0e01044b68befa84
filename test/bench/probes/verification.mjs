/** CPU in microseconds of verifying and parsing one webhook: verification.mjs by-hand | billpay | stripe */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = JSON.stringify({
  event: 'transaction.completed',
  timestamp: '2026-01-31T09:30:00Z',
  signature_version: 'v1',
  data: {
    reference: 'TXN-20260131-0001',
    status: 'success',
    service_type: 'VTU_AIRTIME',
    amount: 500,
    token: null,
    completed_at: '2026-01-31T09:30:00Z',
    metadata: { order: 'order-20260131-000001', note: 'so that it has 305' },
  },
});
const seconds = String(Math.floor(Date.now() / 1000));
const headers = {
  'content-type': 'application/json',
  'x-service-signature': createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'),
  'x-service-timestamp': seconds,
  'x-service-event': 'transaction.completed',
  'x-service-delivery-id': '7b0f6c3a-6a53-4b3c-9b1e-3f5b8c0b7d21',
};

const contenders = {
  /** As a careful reader of the service's documents writes it. */
  'by-hand': async () => () => {
    const expected = createHmac('sha256', secret)
      .update(`${headers['x-service-timestamp']}.${body}`)
      .digest();
    const given = Buffer.from(headers['x-service-signature'], 'hex');
    if (!timingSafeEqual(expected, given)) throw new Error('forged');
    return JSON.parse(body);
  },
  billpay: async () => {
    const { verifyWebhook } = await import(`${process.env.BENCH_PACKAGE}/dist/webhooks/index.js`);
    return () => verifyWebhook({ body, headers, secret });
  },
  stripe: async () => {
    const Stripe = createRequire(new URL('../../tools/package.json', import.meta.url))('stripe');
    const { webhooks } = new Stripe('sk_bench');
    const header = webhooks.generateTestHeaderString({ payload: body, secret });
    return () => webhooks.constructEvent(body, header, secret);
  },
};

const verify = await contenders[process.argv[2]]();
function run(count) {
  for (let at = 0; at < count; at++) verify();
}
run(10_000);
const before = process.cpuUsage();
run(30_000);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 30_000);
