import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/base.js';
import { signWebhook } from '../../src/webhooks/index.js';
import { vectors } from './vectors.js';

const { secret, timestamp, body, signature } = vectors[0]!;
const at = new Date(Number(timestamp) * 1000 + 999);

describe('signWebhook', () => {
  it('returns the five headers of a delivery', () => {
    expect(signWebhook({ body, secret, timestamp: at, deliveryId: 'd-1' })).toEqual({
      'Content-Type': 'application/json',
      'X-Service-Signature': signature,
      'X-Service-Timestamp': timestamp,
      'X-Service-Event': 'transaction.completed',
      'X-Service-Delivery-ID': 'd-1',
    });
  });

  it('signs bytes as it signs text', () => {
    for (const bytes of [Buffer.from(body), new TextEncoder().encode(body).buffer]) {
      expect(signWebhook({ body: bytes, secret, timestamp: at })['X-Service-Signature']).toBe(signature);
    }
  });

  it('uses the current time and a new delivery id by default', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: at });
    const headers = signWebhook({ body, secret });
    vi.useRealTimers();
    expect(headers['X-Service-Timestamp']).toBe(timestamp);
    expect(headers['X-Service-Delivery-ID']).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  it('takes the event from the caller where the body has none', () => {
    expect(signWebhook({ body: 'nothing', secret, event: 'transaction.failed' })['X-Service-Event']).toBe(
      'transaction.failed',
    );
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['secret', { secret: undefined }, /is undefined: .*BILLPAY_WEBHOOK_SECRET/],
    ['secret', { secret: 'sk_test_1' }, /API key/],
    ['secret', { secret: 'whsec_short' }, /has only 5 characters/],
    ['body', { body: { event: 'x' } }, /must be the text or the bytes/],
    ['timestamp', { timestamp: new Date(Number.NaN) }, /must be a valid Date; leave it out/],
    ['timestamp', { timestamp: 1_769_851_800 }, /must be a valid Date/],
    ['event', { body: '{}' }, /is required: the body has no `event`/],
    ['event', { body: 'null' }, /is required/],
  ])('says what is wrong with %s: %j', (option, wrong, message) => {
    const sign = () => signWebhook({ body, secret, ...wrong });
    expect(sign).toThrow(ConfigurationError);
    expect(sign).toThrow(`${option}: `);
    expect(sign).toThrow(message);
  });
});
