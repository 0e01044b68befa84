import { createRequire } from 'node:module';

const Stripe = createRequire(new URL('../../tools/package.json', import.meta.url))('stripe');

export function make(baseUrl) {
  const { hostname, port } = new URL(baseUrl);
  const stripe = new Stripe('sk_bench_4f9c1d7e', { host: hostname, port, protocol: 'http' });
  return (key) =>
    stripe.paymentIntents.create(
      { amount: 500, currency: 'ngn', description: '08031234567', metadata: { biller: 'MTN' } },
      { idempotencyKey: key },
    );
}
