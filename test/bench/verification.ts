import { here, probe, type Result, ratio, rounds } from './measure.js';

/** CPU of verifying and parsing a webhook of 305 bytes. */
export async function measureVerification(count: number): Promise<Result[]> {
  const one = (name: string) => () => probe<number>(here('probes/verification.mjs'), name);
  const all = await rounds(count * 3, {
    'by-hand': one('by-hand'),
    billpay: one('billpay'),
    stripe: one('stripe'),
  });
  return [
    {
      measure: 'CPU of verifyWebhook, x bare HMAC and JSON.parse',
      value: ratio(all, 'billpay', 'by-hand'),
      target: 1.2,
    },
    { measure: 'CPU of verifyWebhook, x stripe', value: ratio(all, 'billpay', 'stripe'), target: 1 },
  ];
}
