import { describe, expect, it } from 'vitest';
import { BillPayError, type BillPayOptions } from '../../src/index.js';
import { ended, rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  catalogue,
  clientWith,
  cut,
  endless,
  json,
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
    ['a mistyped field', { created_at: 5.5 }, 'data.created_at'],
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

  it('names every difference', async () => {
    const { billpay } = strict(accepted({ amount: '500.00', channel: undefined }));
    expect(await rejected(billpay.airtime.purchase(order))).toMatchObject({
      message: expect.stringContaining('from what is documented in data.amount, data.channel'),
    });
  });

  it('refuses a read too, without a purchase', async () => {
    const { billpay, sent } = strict(transaction('success', { refunded: 'no' }));
    const error = await rejected(billpay.transactions.status('TXN-1'));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', mayHaveCharged: false });
    expect(error).toHaveProperty('purchase', undefined);
    expect(sent).toHaveLength(1);
  });

  it('takes unknown fields and values', async () => {
    const { billpay } = strict(accepted({ currency: 'GHS', promo: [1] }));
    expect(await resolved(billpay.airtime.purchase(order))).toMatchObject({ currency: 'GHS', promo: [1] });
    const other = strict(transaction('reversed'));
    expect(await resolved(other.billpay.transactions.status('TXN-1'))).toMatchObject({
      transaction_status: 'reversed',
    });
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
      message: expect.stringContaining('Look at reference TXN-0 with transactions.status'),
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

  it('is not looked for where the key was made for the call', async () => {
    const { fetch } = script(accepted({ recipient: '08059999999', amount: 900 }));
    expect(await resolved(clientWith(fetch).airtime.purchase(airtime))).toMatchObject({ amount: 900 });
  });

  it('is not a cosmetic difference', async () => {
    const { fetch } = script(accepted({ recipient: '+2348031234567', biller: 'mtn', amount: '500.00' }));
    expect(await resolved(clientWith(fetch).airtime.purchase(order))).toMatchObject({ reference: 'TXN-1' });
  });
});

describe('withResponse', () => {
  it('gives the response with a body that can be read again', async () => {
    const list = { status: 'success', biller: 'MTN', products: [] };
    const { fetch } = script(reset, json(200, list, { 'x-request-id': 'r1' }));
    const { data, response, attempts } = await resolved(
      clientWith(fetch).data.products({ biller: 'MTN' }).withResponse(),
    );
    expect(attempts).toBe(2);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toBe('r1');
    expect(await response.json()).toMatchObject(data);
  });

  it('gives one Response, however often it is asked', async () => {
    const { fetch } = script(catalogue);
    const result = await resolved(clientWith(fetch).data.products({ biller: 'MTN' }).withResponse());
    expect(result.response).toBe(result.response);
  });

  it.each([204, 205])('gives a %i without a body', async (status) => {
    const { fetch } = script(() => new Response(null, { status }));
    const call = clientWith(fetch).request({ method: 'DELETE', path: '/hooks/7' });
    const { data, response } = await resolved(call.withResponse());
    expect(data).toBeUndefined();
    expect(response.status).toBe(status);
    expect(await response.text()).toBe('');
  });

  it('keeps the status text, unless no Response can hold it', async () => {
    const texts = ['Fine', '✓ fine'];
    for (const statusText of texts) {
      const { fetch } = script(async (sent) =>
        Object.defineProperty(await catalogue(sent), 'statusText', { value: statusText }),
      );
      const { response } = await resolved(clientWith(fetch).data.products({ biller: 'MTN' }).withResponse());
      expect(response.statusText).toBe(statusText === 'Fine' ? 'Fine' : '');
    }
  });
});

describe('request()', () => {
  it.each<[string, Step, unknown]>([
    ['any JSON', json(200, [1, { a: null }]), [1, { a: null }]],
    ['null', json(200, null), null],
    ['an envelope untouched', json(200, { status: 'error', data: 5 }), { status: 'error', data: 5 }],
  ])('gives %s', async (_, step, value) => {
    const { fetch } = script(step);
    expect(await resolved(clientWith(fetch).request({ method: 'GET', path: '/x' }))).toEqual(value);
  });

  it.each<[string, Step, string]>([
    ['a page', page(200), 'its body is not JSON'],
    ['nothing with a 200', () => new Response(null, { status: 200 }), 'its body is not JSON'],
    [
      'a body over the cap',
      () => new Response('x'.repeat(10 * 1024 * 1024 + 1)),
      'its body could not be read to its end',
    ],
  ])('cannot use %s', async (_, step, problem) => {
    const { fetch } = script(step);
    const call = clientWith(fetch, { maxRetries: 0 }).request({ method: 'GET', path: '/x' });
    expect(await rejected(call)).toMatchObject({
      name: 'UnexpectedResponseError',
      operation: 'request',
      message: expect.stringContaining(problem),
    });
  });

  it('says of a writing call without a key that it may have been carried out', async () => {
    const { fetch } = script(reset);
    const call = clientWith(fetch).request({ method: 'POST', path: '/x', body: { a: 1 } });
    expect(await rejected(call)).toMatchObject({
      mayHaveCharged: true,
      idempotencyKey: undefined,
      message: expect.stringContaining(
        'has no idempotency_key to repeat it under: check before you repeat it.',
      ),
    });
  });
});

describe('a body that does not end', () => {
  const once = { maxRetries: 0, timeout: 50 };

  it.each([400, 401, 422, 500])('leaves a %i what it is', async (status) => {
    const { fetch } = script(endless(status));
    expect(await rejected(clientWith(fetch, once).airtime.purchase(order))).toMatchObject({
      status,
      body: '',
      mayHaveCharged: true,
    });
  });

  it('makes a success one that cannot be used, which is said', async () => {
    const { fetch } = script(cut(202));
    expect(await rejected(clientWith(fetch, once).airtime.purchase(order))).toMatchObject({
      name: 'UnexpectedResponseError',
      mayHaveCharged: true,
      message: expect.stringContaining('returned a 202 response that cannot be used: its body was cut off.'),
      cause: expect.objectContaining({ message: 'terminated' }),
    });
  });

  it('makes one that is too long unusable too', async () => {
    const { fetch } = script(() => new Response('x'.repeat(10 * 1024 * 1024 + 1), { status: 202 }));
    expect(await rejected(clientWith(fetch, once).airtime.purchase(order))).toMatchObject({
      message: expect.stringContaining('its body is larger than the 10 MiB that are read'),
    });
  });
});

describe("a caller's own fetch", () => {
  const purchaseWith = (fetch: unknown, options: BillPayOptions = {}) =>
    clientWith(fetch as typeof globalThis.fetch, { maxRetries: 0, ...options }).airtime.purchase(order);

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'OK'],
    ['an empty object', {}],
    ['a list', []],
    ['headers that are none', { status: 200, headers: {}, body: null }],
    ['no headers', { status: 500, body: null }],
    ['no status', { headers: new Headers(), body: null }],
    ['a status that is text', { status: '200', headers: new Headers(), body: null }],
  ])('that resolves to %s has given no response', async (_, junk) => {
    const error = await rejected(purchaseWith(async () => junk));
    expect(error).toMatchObject({
      name: 'ConnectionError',
      mayHaveCharged: true,
      message: expect.stringContaining('fetch resolved to something that is not a Response'),
    });
  });

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

  it.each<[string, unknown]>([
    ['an error', new Error('no network')],
    ['a text', 'no network'],
    ['an object', { why: 'no network' }],
    ['null', null],
    ['nothing', undefined],
  ])('that throws %s, at once or later, is a ConnectionError', async (_, thrown) => {
    const atOnce = () => {
      throw thrown;
    };
    const later = () => Promise.reject(thrown);
    for (const fetch of [atOnce, later]) {
      const error = await rejected(purchaseWith(fetch));
      expect(error).toBeInstanceOf(BillPayError);
      expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, mayHaveCharged: true });
    }
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

  it('is asked not to follow redirects, with a body that it cannot change for the next attempt', async () => {
    const bodies: unknown[] = [];
    const { fetch, sent } = script(accepted());
    const spying: typeof fetch = (input, init) => {
      bodies.push(init?.body);
      return fetch(input, init);
    };
    await resolved(clientWith(spying).airtime.purchase(order));
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://service.test/api/v1/airtime/purchase',
      redirect: 'manual',
    });
    expect(bodies).toEqual([expect.stringContaining('"amount":500')]);
  });
});

describe('a redirect', () => {
  it('is named, and not followed', async () => {
    const { fetch, sent } = script(page(308, { location: 'https://elsewhere.test/api/v1/airtime/purchase' }));
    const error = await rejected(clientWith(fetch).airtime.purchase(order));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      status: 308,
      body: '',
      mayHaveCharged: true,
      message: expect.stringContaining('was redirected to https://elsewhere.test/api/v1/airtime/purchase;'),
    });
    expect(sent).toHaveLength(1);
  });

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
