import { describe, expect, it } from 'vitest';
import type { BillPayOptions } from '../../src/index.js';
import { ended, rejected, useFakeClock } from '../support/clock.js';
import { acceptance } from '../support/envelopes.js';
import { accepted, airtime, clientWith, reset, script } from '../support/script.js';

useFakeClock();

const order = { ...airtime, idempotency_key: 'order-1' };

describe('an accepted purchase whose response cannot be used', () => {
  const whole = JSON.stringify(acceptance());

  it.each<[string, string]>([
    ['was cut off', whole.slice(0, whole.indexOf('"channel"'))],
    ['is followed by something else', `${whole}<!-- gateway -->`],
  ])('keeps its reference where it %s', async (_, text) => {
    const { fetch } = script(() => new Response(text, { status: 202 }));
    const error = await rejected(clientWith(fetch, { maxRetries: 0 }).airtime.purchase(order));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      mayHaveCharged: true,
      purchase: { reference: 'TXN-1', idempotency_key: 'order-1' },
    });
  });

  it('has none where none can be read, and neither has a read', async () => {
    const { fetch } = script(() => new Response('{"data":{"reference":"TX', { status: 202 }));
    const error = await rejected(clientWith(fetch, { maxRetries: 0 }).airtime.purchase(order));
    expect(error).toHaveProperty('purchase', undefined);
    const read = script(() => new Response('{"data":{"reference":"TXN-1"', { status: 200 }));
    const other = await rejected(clientWith(read.fetch, { maxRetries: 0 }).transactions.status('TXN-1'));
    expect(other).toHaveProperty('purchase', undefined);
  });
});

describe('a response about another purchase', () => {
  it('is IdempotencyKeyReusedError where the caller chose the key', async () => {
    const { fetch, sent } = script(accepted({ recipient: '08059999999', amount: 900, reference: 'TXN-0' }));
    const error = await rejected(clientWith(fetch).airtime.purchase(order));
    expect(error).toMatchObject({
      name: 'IdempotencyKeyReusedError',
      code: 'IDEMPOTENCY_KEY_REUSED',
      operation: 'airtime.purchase',
      attempts: 1,
      idempotencyKey: 'order-1',
      mayHaveCharged: true,
      purchase: { reference: 'TXN-0', amount: 900, idempotency_key: 'order-1' },
      differences: [
        { field: 'recipient', asked: '08031234567', echoed: '08059999999' },
        { field: 'amount', asked: 500, echoed: 900 },
      ],
      message: expect.stringMatching(
        /the purchase TXN-0.+recipient 0803\*{4}567 was asked, 0805\*{4}999 came back; amount 500 was asked, 900 came back.+Check reference TXN-0 with transactions\.status .+ do not buy this order under another key/,
      ),
    });
    expect(sent).toHaveLength(1);
  });

  it('is one too where it does not say its amount', async () => {
    const { fetch, sent } = script(accepted({ recipient: '08059999999', amount: undefined }));
    expect(await rejected(clientWith(fetch).airtime.purchase(order))).toMatchObject({
      name: 'IdempotencyKeyReusedError',
      mayHaveCharged: true,
      purchase: { reference: 'TXN-1' },
      differences: [{ field: 'recipient', asked: '08031234567', echoed: '08059999999' }],
    });
    expect(sent).toHaveLength(1);
  });

  it('is an open question, also after an attempt in doubt', async () => {
    const { fetch } = script(reset, accepted({ amount: 900 }));
    expect(await rejected(clientWith(fetch).airtime.purchase(order))).toMatchObject({
      name: 'IdempotencyKeyReusedError',
      attempts: 2,
      mayHaveCharged: true,
    });
  });
});

describe("a caller's own fetch", () => {
  const purchaseWith = (fetch: unknown, options: BillPayOptions = {}) =>
    clientWith(fetch as typeof globalThis.fetch, { maxRetries: 0, ...options }).airtime.purchase(order);

  it.each<[string, unknown]>([
    ['a body that is no stream', { status: 202, headers: new Headers(), body: '{}' }],
    ['no body at all', { status: 202, headers: new Headers() }],
    [
      'an announced body that cannot be read',
      { status: 202, headers: new Headers({ 'content-length': '2' }), body: {} },
    ],
  ])('that resolves to %s has given an unreadable response', async (_, junk) => {
    expect(await rejected(purchaseWith(async () => junk))).toMatchObject({
      name: 'UnexpectedResponseError',
      mayHaveCharged: true,
    });
  });

  it('may give the same Response twice, of which only the first can be read', async () => {
    const response = new Response('<html>', { status: 502 });
    const streamed = new Response(new Blob(['<html>']).stream(), { status: 502 });
    for (const same of [response, streamed]) {
      const error = await rejected(purchaseWith(async () => same, { maxRetries: 1 }));
      expect(error).toMatchObject({ name: 'ServerError', attempts: 2 });
    }
  });

  it('may resolve after its attempt was given up, which is ignored', async () => {
    let late: (response: Response) => void = () => {};
    const fetch = () =>
      new Promise<Response>((resolve) => {
        late = resolve;
      });
    const ending = await ended(purchaseWith(fetch, { timeout: 10 }));
    expect(ending).toMatchObject({ error: { name: 'TimeoutError' } });
    late(Response.json({}));
  });
});

describe('a redirect', () => {
  it('that names no place, or hides it as browsers do, is one all the same', async () => {
    const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    for (const response of [new Response(null, { status: 304 }), opaque]) {
      const { fetch } = script(() => response);
      expect(await rejected(clientWith(fetch).data.products({ biller: 'MTN' }))).toMatchObject({
        name: 'UnexpectedResponseError',
        message: expect.stringContaining('was redirected to a place it does not name;'),
      });
    }
  });
});
