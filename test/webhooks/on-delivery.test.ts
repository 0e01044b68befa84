import { describe, expect, it } from 'vitest';
import {
  createWebhookHandler,
  RetryLaterError,
  type WebhookDeliveryRecord,
  type WebhookHandlerOptions,
} from '../../src/webhooks/index.js';
import { delivery, recordingLogger, secret } from './deliveries.js';

/** A receiver that keeps what `onDelivery` was called with. */
function watched(options: Partial<WebhookHandlerOptions> = {}) {
  const records: WebhookDeliveryRecord[] = [];
  const handler = createWebhookHandler({
    secret,
    logger: recordingLogger(),
    on: { 'transaction.completed': () => {} },
    onDelivery: (record) => records.push(record),
    ...options,
  });
  return { handler, records };
}

const throwing = (error: Error) => () => {
  throw error;
};
const durationMs = expect.any(Number);

describe('onDelivery', () => {
  it('is called once for each delivery, with the event, and without its token', async () => {
    const { handler, records } = watched();
    for (const event of ['transaction.completed', 'transaction.completed', 'transaction.failed', 'x.y']) {
      await handler(delivery({ event }));
    }
    expect(records).toStrictEqual([
      { status: 200, durationMs, event: 'transaction.completed' },
      { status: 200, durationMs, event: 'transaction.completed' },
      { status: 200, durationMs, event: 'transaction.failed' },
      { status: 200, durationMs, event: 'x.y' },
    ]);
  });

  const forged = delivery({ headers: { 'X-Service-Signature': '0'.repeat(64) } });
  const throws = (error: Error) => ({ on: { 'transaction.completed': throwing(error) } });
  const event = 'transaction.completed';

  it.each<[string, Request, Partial<WebhookHandlerOptions>, Partial<WebhookDeliveryRecord>]>([
    ['does not verify', forged, {}, { status: 401, reason: 'signature_mismatch' }],
    ['is not JSON', delivery({ body: 'x' }), {}, { status: 400, reason: 'body_not_json' }],
    ['is not a POST', new Request('https://shop.example/'), {}, { status: 405 }],
    ['is too large', delivery(), { maxBodyBytes: 10 }, { status: 413 }],
    ['makes its handler throw', delivery(), throws(new Error('database')), { status: 500, event }],
    ['is asked for again', delivery(), throws(new RetryLaterError('not yet')), { status: 503, event }],
  ])('is called for a delivery that %s', async (_, request, options, expected) => {
    const { handler, records } = watched(options);
    expect((await handler(request)).status).toBe(expected.status);
    expect(records).toStrictEqual([{ durationMs, ...expected }]);
  });

  it.each<[string, () => unknown]>([
    ['throws', throwing(new TypeError('callback'))],
    ['rejects', async () => throwing(new TypeError('callback'))()],
  ])('that %s changes nothing', async (_, onDelivery) => {
    expect((await watched({ onDelivery }).handler(delivery())).status).toBe(200);
  });
});
