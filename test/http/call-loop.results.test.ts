import { describe, expect, it } from 'vitest';
import type { BillPayOptions } from '../../src/index.js';
import { ended, rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  clientWith,
  page,
  reset,
  type Step,
  script,
  transaction,
} from '../support/script.js';

useFakeClock();

const order = { ...airtime, idempotency_key: 'order-1' };

describe('strictResponses', () => {
  const strict = (step: Step) => {
    const run = script(step);
    return { ...run, billpay: clientWith(run.fetch, { strictResponses: true }) };
  };

  it.each<[string, object, string]>([
    ['a missing field', { channel: undefined }, 'data.channel'],
    ['money as text', { amount: '500.00' }, 'data.amount'],
  ])('refuses %s once, with the purchase that was accepted', async (_, data, path) => {
    const { billpay, sent } = strict(accepted(data));
    const error = await rejected(billpay.airtime.purchase(order));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      status: 202,
      attempts: 1,
      mayHaveCharged: true,
      idempotencyKey: 'order-1',
      purchase: { reference: 'TXN-1', status: 'pending', idempotency_key: 'order-1' },
      message: expect.stringContaining(
        `strictResponses is on, and it differs from what is documented in ${path}`,
      ),
    });
    expect(sent).toHaveLength(1);
  });

  it('refuses a read too, without a purchase', async () => {
    const { billpay, sent } = strict(transaction('success', { refunded: 'no' }));
    const error = await rejected(billpay.transactions.status('TXN-1'));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', mayHaveCharged: false });
    expect(error).toHaveProperty('purchase', undefined);
    expect(sent).toHaveLength(1);
  });

  it('still repeats what cannot be read at all', async () => {
    const { fetch, sent } = script(page(202), accepted());
    await resolved(clientWith(fetch, { strictResponses: true }).airtime.purchase(order));
    expect(sent).toHaveLength(2);
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
        /the purchase TXN-0.+recipient 0803\*{4}567 was asked, 0805\*{4}999 came back; amount 500 was asked, 900 came back.+Look at reference TXN-0 with transactions\.status .+ do not buy this order under another key/,
      ),
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
