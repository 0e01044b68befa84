import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import type { RequestParams } from '../../src/http/request.js';
import type { BillPay } from '../../src/index.js';
import { callBy, complete, operationNames } from '../support/every-call.js';
import { clientOf, publicKey, rejectionOf, useWire } from '../support/wire.js';

const wire = useWire();

describe('a client with a public key', () => {
  const request = (params: RequestParams) => (billpay: BillPay) => billpay.request(params);
  const calls = (requiredKey: 'public' | 'secret') =>
    operationNames
      .filter((name) => operations[name].requiredKey === requiredKey)
      .map((name): Row => [name, (billpay) => callBy(billpay, name, complete[name])]);
  type Row = [operation: string, call: (billpay: BillPay) => PromiseLike<unknown>];

  it.each<Row>([
    ...calls('public'),
    ['request: a catalogue', request({ method: 'GET', path: '/data/products', query: { biller: 'MTN' } })],
    ['request: a validate call', request({ method: 'POST', path: '/tv/validate', body: { biller: 'DSTV' } })],
    ['request: an unknown GET', request({ method: 'GET', path: '/data/variations' })],
  ])('may call %s', async (_, call) => {
    wire.respond({ method: 'GET', path: '/data/variations' }, { body: {} });
    await call(clientOf({ apiKey: publicKey }));
    expect(wire.sent).toHaveLength(1);
    expect(wire.sent[0]?.headers['authorization']).toBe('Bearer pk_test_7hTzR1wYbC3d');
  });

  it('is told which request() needs a secret key', async () => {
    const call = clientOf({ apiKey: publicKey }).request({ method: 'DELETE', path: '/later' });
    expect(String(await rejectionOf(call))).toContain('request DELETE /later needs a secret key');
  });

  it.each<Row>([
    ...calls('secret'),
    ['transactions.status', (billpay) => billpay.transactions.waitUntilSettled('TXN-1')],
    // The key comes before the parameters.
    ['airtime.purchase', (billpay) => billpay.airtime.purchase({ biller: '', recipient: '', amount: 0 })],
    ['request', request({ method: 'POST', path: '/airtime/purchase', body: complete['airtime.purchase'] })],
    ['request', request({ method: 'GET', path: '/transactions/status' })],
    ['request', request({ method: 'POST', path: '/later/endpoint' })],
    ['request', request({ method: 'DELETE', path: '/webhooks/subscribe' })],
    ['request', request({ method: 'DELETE', path: '/data/products' })],
  ])('is refused %s before anything is sent', async (operation, call) => {
    const records: unknown[] = [];
    const billpay = clientOf({ apiKey: publicKey, onAttempt: (record) => void records.push(record) });
    expect(await rejectionOf(call(billpay))).toMatchObject({
      name: 'PermissionError',
      code: 'GATEWAY_ERROR',
      operation,
      status: undefined,
      attempts: 0,
      mayHaveCharged: false,
      message: expect.stringMatching(/needs a secret key \(sk_…\).*Nothing was sent\.$/),
    });
    expect([wire.sent, records]).toEqual([[], []]);
  });
});

describe('several clients', () => {
  it('live side by side without mixing keys, accounts, addresses, headers or callbacks', async () => {
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
    const options = { apiKey: 'sk_live_one', headers: { 'X-Shop': 'one' } };
    const billpay = clientOf(options);
    options.apiKey = 'sk_live_two';
    options.headers['X-Shop'] = 'two';
    await billpay.data.products({ biller: 'MTN' });
    expect(wire.sent[0]?.headers).toMatchObject({ authorization: 'Bearer sk_live_one', 'x-shop': 'one' });
  });
});
