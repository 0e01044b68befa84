import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { airtime, call, sandboxAtStart } from '../support.js';

const bundle = (amount: number) => ({
  biller: 'MTN',
  recipient: '08031234567',
  product_code: 'MTN-2.5GB-1D',
  idempotency_key: `guard-${amount}`,
  amount,
});

describe('a price guard', () => {
  test.each([900.004, 899.996, 900.01, 90_000, 9])('of %d is not the listed price of 900', async (amount) => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'POST', '/data/purchase', bundle(amount));
    expect(reply).toMatchObject({ status: 422, body: { code: 'AMOUNT_MISMATCH' } });
    expect(sandbox.transactions).toEqual([]);
  });

  test('follows a price that is changed while the sandbox runs', async () => {
    const sandbox = sandboxAtStart();
    const price = { product: 'data', biller: 'mtn', product_code: 'MTN-2.5GB-1D', amount: 950 } as const;
    sandbox.setPrice(price);
    expect((await call(sandbox, 'POST', '/data/purchase', bundle(900))).status).toBe(422);
    expect((await call(sandbox, 'POST', '/data/purchase', bundle(950))).status).toBe(202);
    const listed = await call(sandbox, 'GET', '/data/products?biller=MTN');
    expect(listed.body).toMatchObject({
      products: expect.arrayContaining([expect.objectContaining({ amount: 950 })]),
    });
    expect(
      sandbox.catalogue.data?.['MTN']?.find(({ product_code }) => product_code === 'MTN-2.5GB-1D')?.amount,
    ).toBe(950);
    expect(() => sandbox.setPrice({ ...price, product_code: 'NONE' })).toThrow('is not in the catalogue');
    expect(() => sandbox.setPrice({ ...price, amount: 0 })).toThrow('at least 0.01 NGN');
  });
});

test('a quantity that would keep the process busy is refused', async () => {
  const sandbox = sandboxAtStart({ balance: 1e12 });
  const pins = (quantity: number) => ({
    biller: 'NABTEB',
    recipient: '0803',
    product_code: 'NABTEB-RESULT',
    idempotency_key: `q-${quantity}`,
    quantity,
  });
  expect(await call(sandbox, 'POST', '/edu/purchase', pins(900_000_000))).toMatchObject({
    status: 422,
    body: { code: 'VALIDATION_FAILED', errors: { quantity: 'must be at most 1000 in this sandbox' } },
  });
  expect((await call(sandbox, 'POST', '/edu/purchase', pins(1000))).status).toBe(202);
});

describe('a webhook url', () => {
  test.each(['https://user:pass@example.com/hook', 'http://user@127.0.0.1:3000/hook'])(
    '%s has credentials in it and is refused',
    async (url) => {
      const sandbox = sandboxAtStart();
      const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url });
      expect(reply).toMatchObject({ status: 422, body: { errors: { url: /user name or password/ } } });
      expect(() => sandbox.webhooks.subscribe({ url })).toThrow('user name or password');
      expect(sandbox.client().subscription).toBeUndefined();
    },
  );

  test('may use http on hosts that were allowed by name', async () => {
    const sandbox = sandboxAtStart({ allowWebhookHosts: ['app', 'host.docker.internal'] });
    for (const url of ['http://app:3000/hook', 'http://HOST.docker.internal/hook']) {
      expect((await call(sandbox, 'POST', '/webhooks/subscribe', { url })).status).toBe(200);
      expect(sandbox.client().subscription?.url).toBe(url);
    }
    const other = await call(sandbox, 'POST', '/webhooks/subscribe', { url: 'http://database:3000/hook' });
    expect(other.status).toBe(422);
    expect(() => createSandbox({ allowWebhookHosts: ['http://app'] })).toThrow('without scheme and port');
  });
});

describe('a fault', () => {
  test.each([
    { headers: { 'x-note': 'two\nlines' } },
    { headers: { 'x-note': 'a\u0001b' } },
    { headers: { 'x-note': '₦900' } },
    { headers: { 'two words': 'x' } },
    { retryAfter: '1\r\nx: y' },
  ])('with a header that HTTP does not allow is refused when it is added: %o', (fault) => {
    const sandbox = sandboxAtStart();
    expect(() => sandbox.faults.add({ status: 503, ...fault })).toThrow(/header/);
    expect(sandbox.faults.active).toEqual([]);
  });

  test('in X-Sandbox-Fault meets that one request, and no other fault does', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ status: 500 });
    const headers = { 'x-sandbox-fault': '{"status":503,"code":"QUEUE_UNAVAILABLE"}' };
    const met = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), { headers });
    expect(met).toMatchObject({ status: 503, body: { code: 'QUEUE_UNAVAILABLE' } });
    expect(sandbox.faults.active).toHaveLength(1);
    expect(sandbox.requests[0]?.fault).toMatchObject({ status: 503 });
  });

  test.each([['status: 503'], ['{"status":999}'], ['{}'], ['null'], ['{"nothing":1}']])(
    'in X-Sandbox-Fault that cannot be read is a 400, and nothing is bought: %s',
    async (text) => {
      const sandbox = sandboxAtStart();
      const headers = { 'x-sandbox-fault': text };
      const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), { headers });
      expect(reply).toMatchObject({ status: 400, body: { message: /^X-Sandbox-Fault: / } });
      expect(sandbox.transactions).toEqual([]);
    },
  );
});

test('settleAfter 0 settles at once, as a number and as text', async () => {
  for (const settleAfter of [0, '0s'] as const) {
    const sandbox = sandboxAtStart({ settleAfter: settleAfter as 0 });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.advance(0);
    expect(sandbox.transactions[0]?.status).toBe('success');
  }
});
