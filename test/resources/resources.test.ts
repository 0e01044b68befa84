import { describe, expect, it } from 'vitest';
import { type BillPay, ValidationError } from '../../src/index.js';
import { resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  catalogue,
  clientWith,
  json,
  type Step,
  script,
  subscribed,
  transaction,
} from '../support/script.js';

useFakeClock();

type Call = (b: BillPay, params?: object, options?: object) => Promise<unknown>;

/** Every method: what it is called, what it sends where, and a success. */
const methods: readonly [name: string, method: string, path: string, params: object, success: Step, Call][] =
  [
    [
      'airtime.purchase',
      'POST',
      '/airtime/purchase',
      { biller: 'MTN', recipient: '08031234567', amount: 500 },
      accepted(),
      (b, p, o) => b.airtime.purchase(Object(p), o),
    ],
    [
      'data.products',
      'GET',
      '/data/products',
      { biller: 'MTN' },
      catalogue,
      (b, p, o) => b.data.products(Object(p), o),
    ],
    [
      'data.purchase',
      'POST',
      '/data/purchase',
      { biller: 'MTN', recipient: '08031234567', product_code: 'A' },
      accepted(),
      (b, p, o) => b.data.purchase(Object(p), o),
    ],
    [
      'tv.validate',
      'POST',
      '/tv/validate',
      { biller: 'DSTV', recipient: '02110144711' },
      json(200, { status: 'success', customer_name: 'ADA' }),
      (b, p, o) => b.tv.validate(Object(p), o),
    ],
    [
      'tv.products',
      'GET',
      '/tv/products',
      { biller: 'GOTV' },
      catalogue,
      (b, p, o) => b.tv.products(Object(p), o),
    ],
    [
      'tv.purchase',
      'POST',
      '/tv/purchase',
      { biller: 'DSTV', recipient: '02110144711', product_code: 'A' },
      accepted(),
      (b, p, o) => b.tv.purchase(Object(p), o),
    ],
    [
      'electricity.validate',
      'POST',
      '/electricity/validate',
      { biller: 'AEDC', recipient: '0124000952992', meter_type: 'prepaid' },
      json(200, { status: 'success', customer_name: 'ADA', address: '1 Broad Street' }),
      (b, p, o) => b.electricity.validate(Object(p), o),
    ],
    [
      'electricity.purchase',
      'POST',
      '/electricity/purchase',
      { biller: 'AEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 },
      accepted(),
      (b, p, o) => b.electricity.purchase(Object(p), o),
    ],
    [
      'edu.validate',
      'POST',
      '/edu/validate',
      { biller: 'JAMB', recipient: '0123456789' },
      json(200, { status: 'success', customer_name: 'ADA' }),
      (b, p, o) => b.edu.validate(Object(p), o),
    ],
    [
      'edu.products',
      'GET',
      '/edu/products',
      { biller: 'WAEC' },
      catalogue,
      (b, p, o) => b.edu.products(Object(p), o),
    ],
    [
      'edu.purchase',
      'POST',
      '/edu/purchase',
      { biller: 'WAEC', recipient: '08031234567', product_code: 'A', quantity: 2 },
      accepted(),
      (b, p, o) => b.edu.purchase(Object(p), o),
    ],
    [
      'transactions.status',
      'GET',
      '/transactions/status',
      { reference: 'TXN-1' },
      transaction('pending'),
      (b, p, o) => b.transactions.status(Object(p).reference, o),
    ],
    [
      'webhooks.subscribe',
      'POST',
      '/webhooks/subscribe',
      { url: 'https://shop.test/hook', enabled: false },
      subscribed,
      (b, p, o) => b.webhooks.subscribe(Object(p), o),
    ],
  ];

describe.each(methods)('%s', (name, method, path, params, success, call) => {
  it('sends what it was given to its own endpoint, with the options of the call', async () => {
    const { fetch, sent } = script(success);
    await resolved(call(clientWith(fetch), params, { headers: { 'X-Till': '7' } }));
    const [request] = sent;
    const url = new URL(request?.url ?? '');
    expect(request?.method).toBe(method);
    expect(url.pathname).toBe(`/api/v1${path}`);
    expect(request?.headers.get('x-till')).toBe('7');
    const fields =
      method === 'GET'
        ? Object.fromEntries(url.searchParams)
        : JSON.parse(new TextDecoder().decode(request?.bytes));
    expect(fields).toMatchObject({ client_id: 'client-1', ...params });
  });

  it('rejects what it cannot send, and never throws', async () => {
    const { fetch, sent } = script();
    const promise = call(clientWith(fetch), {});
    await expect(promise).rejects.toBeInstanceOf(ValidationError);
    await expect(promise).rejects.toMatchObject({ operation: name, attempts: 0, status: undefined });
    expect(sent).toHaveLength(0);
  });
});
