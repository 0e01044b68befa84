import { describe, expect, it } from 'vitest';
import { type BillPay, PermissionError } from '../../src/index.js';
import { clientOf, publicKey, rejectionOf, useWire, valid } from '../support/wire.js';

const wire = useWire();

describe('a client with a public key', () => {
  it.each<[string, object, (billpay: BillPay) => PromiseLike<unknown>]>([
    ['data.products', valid.catalogue, (billpay) => billpay.data.products({ biller: 'MTN' })],
    ['tv.products', valid.catalogue, (billpay) => billpay.tv.products({ biller: 'DSTV' })],
    ['edu.products', valid.catalogue, (billpay) => billpay.edu.products({ biller: 'WAEC' })],
    [
      'tv.validate',
      valid.validate,
      (billpay) => billpay.tv.validate({ biller: 'DSTV', recipient: '02110144711' }),
    ],
    [
      'electricity.validate',
      valid.meter,
      (billpay) =>
        billpay.electricity.validate({ biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' }),
    ],
    [
      'edu.validate',
      valid.validate,
      (billpay) => billpay.edu.validate({ biller: 'JAMB', recipient: '0123' }),
    ],
    [
      'request: a catalogue',
      valid.catalogue,
      (billpay) => billpay.request({ method: 'GET', path: '/data/products', query: { biller: 'MTN' } }),
    ],
    [
      'request: a validate call',
      valid.validate,
      (billpay) => billpay.request({ method: 'POST', path: '/tv/validate', body: { biller: 'DSTV' } }),
    ],
    [
      'request: an unknown GET',
      { variations: [] },
      (billpay) => billpay.request({ method: 'GET', path: '/data/variations' }),
    ],
  ])('may call %s', async (_, body, call) => {
    wire.respond({ body });
    await call(clientOf({ apiKey: publicKey }));
    expect(wire.sent).toHaveLength(1);
    expect(wire.sent[0]?.headers['authorization']).toBe('Bearer pk_test_7hTzR1wYbC3d');
  });

  const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-77' };

  it.each<[string, (billpay: BillPay) => PromiseLike<unknown>]>([
    ['airtime.purchase', (billpay) => billpay.airtime.purchase(airtime)],
    ['data.purchase', (billpay) => billpay.data.purchase({ ...airtime, product_code: 'x' })],
    ['tv.purchase', (billpay) => billpay.tv.purchase({ ...airtime, product_code: 'x' })],
    [
      'electricity.purchase',
      (billpay) => billpay.electricity.purchase({ ...airtime, meter_type: 'prepaid' }),
    ],
    [
      'edu.purchase',
      (billpay) => billpay.edu.purchase({ biller: 'WAEC', recipient: '0803', product_code: 'x' }),
    ],
    ['transactions.status', (billpay) => billpay.transactions.status('TXN-1')],
    ['transactions.status', (billpay) => billpay.transactions.waitUntilSettled('TXN-1')],
    ['webhooks.subscribe', (billpay) => billpay.webhooks.subscribe({ url: 'https://shop.example/hooks' })],
    ['request', (billpay) => billpay.request({ method: 'POST', path: '/airtime/purchase', body: airtime })],
    ['request', (billpay) => billpay.request({ method: 'GET', path: '/transactions/status' })],
    ['request', (billpay) => billpay.request({ method: 'POST', path: '/later/endpoint' })],
    ['request', (billpay) => billpay.request({ method: 'DELETE', path: '/webhooks/subscribe' })],
    ['request', (billpay) => billpay.request({ method: 'DELETE', path: '/data/products' })],
  ])('is refused %s before anything is sent', async (operation, call) => {
    const records: unknown[] = [];
    const billpay = clientOf({ apiKey: publicKey, onAttempt: (record) => void records.push(record) });
    const error = await rejectionOf(call(billpay));
    expect(error).toBeInstanceOf(PermissionError);
    expect(error).toMatchObject({
      name: 'PermissionError',
      code: 'GATEWAY_ERROR',
      operation,
      status: undefined,
      attempts: 0,
      mayHaveCharged: false,
      message: expect.stringMatching(/needs a secret key \(sk_…\).*Nothing was sent\.$/),
    });
    expect(wire.sent).toEqual([]);
    expect(records).toEqual([]);
  });

  it('learns of the key before it learns of its parameters', async () => {
    const call = clientOf({ apiKey: publicKey }).airtime.purchase({ biller: '', recipient: '', amount: 0 });
    expect(await rejectionOf(call)).toBeInstanceOf(PermissionError);
  });
});

describe('several clients', () => {
  it('live side by side without mixing keys, accounts, addresses, headers or callbacks', async () => {
    wire.respond({ body: valid.catalogue });
    const seen: string[] = [];
    const shops = ['one', 'two', 'three'].map((name) =>
      clientOf({
        apiKey: `sk_live_${name}`,
        clientId: `client-${name}`,
        baseUrl: `https://${name}.example/api/v1`,
        headers: { 'X-Shop': name },
        onAttempt: () => void seen.push(name),
      }),
    );
    await Promise.all([...shops, ...shops].map((shop) => shop.data.products({ biller: 'MTN' })));
    expect(wire.sent).toHaveLength(6);
    for (const { url, headers } of wire.sent) {
      const name = new URL(url).hostname.replace('.example', '');
      expect(url).toBe(`https://${name}.example/api/v1/data/products?client_id=client-${name}&biller=MTN`);
      expect(headers).toMatchObject({ authorization: `Bearer sk_live_${name}`, 'x-shop': name });
    }
    expect(seen.toSorted()).toEqual(['one', 'one', 'three', 'three', 'two', 'two']);
  });

  it('is not reached by what is changed in its options later', async () => {
    wire.respond({ body: valid.catalogue });
    const options = { apiKey: 'sk_live_one', headers: { 'X-Shop': 'one' } };
    const billpay = clientOf(options);
    options.apiKey = 'sk_live_two';
    options.headers['X-Shop'] = 'two';
    await billpay.data.products({ biller: 'MTN' });
    expect(wire.sent[0]?.headers).toMatchObject({ authorization: 'Bearer sk_live_one', 'x-shop': 'one' });
  });
});
