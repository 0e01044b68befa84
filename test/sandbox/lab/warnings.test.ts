import { describe, expect, test } from 'vitest';
import type { Sandbox, SandboxWarning } from '../../../src/sandbox/index.js';
import { airtime, call, sandboxAtStart } from '../support.js';

const warningsOf = (sandbox: Sandbox): readonly SandboxWarning[] => sandbox.requests.at(-1)?.warnings ?? [];
const codesOf = (sandbox: Sandbox) => warningsOf(sandbox).map(({ code }) => code);

/** A sandbox with a subscription, so that this warning does not stand beside the others. */
function subscribed(): Sandbox {
  const sandbox = sandboxAtStart();
  sandbox.webhooks.subscribe({ handler: () => new Response() });
  return sandbox;
}

const bundle = (key: string, fields: Record<string, unknown> = {}) => ({
  biller: 'MTN',
  recipient: '08031234567',
  product_code: 'MTN-2.5GB-1D',
  idempotency_key: key,
  ...fields,
});

describe('a tolerated mistake is reported and served', () => {
  test('nothing is reported of a purchase without a mistake', async () => {
    const sandbox = subscribed();
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(warningsOf(sandbox)).toEqual([]);
    await call(sandbox, 'POST', '/data/purchase', bundle('b', { amount: 900 }));
    expect(warningsOf(sandbox)).toEqual([]);
  });

  test('no Content-Type', async () => {
    const sandbox = subscribed();
    const { clientId, secretKey } = sandbox.credentials;
    const response = await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}` },
      // A text would declare itself as text/plain.
      body: new TextEncoder().encode(JSON.stringify({ client_id: clientId, ...airtime('a') })),
    });
    expect(response.status).toBe(202);
    expect(codesOf(sandbox)).toEqual(['content-type-missing']);
  });

  test.each([
    ['text/plain;charset=UTF-8', ['content-type-not-json']],
    ['application/x-www-form-urlencoded', ['content-type-not-json']],
    ['application/json-seq', ['content-type-not-json']],
    ['Application/JSON;charset=UTF-8', []],
  ])('the Content-Type %s', async (type, codes) => {
    const sandbox = subscribed();
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), { headers: { 'content-type': type } });
    expect(sandbox.requests[0]?.response?.status).toBe(202);
    expect(codesOf(sandbox)).toEqual(codes);
  });

  test('a numeric customer_phone counts as its digits, as a recipient does', async () => {
    const sandbox = subscribed();
    const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 };
    const order = { ...meter, idempotency_key: 'a', customer_phone: 8031234567 };
    expect((await call(sandbox, 'POST', '/electricity/purchase', order)).status).toBe(202);
    expect(codesOf(sandbox)).toEqual(['numeric-customer-phone']);
  });

  test('unknown fields, with the name that was probably meant', async () => {
    const sandbox = subscribed();
    const order = { ...airtime('a'), recipent: '0803', narration: 'x' };
    expect((await call(sandbox, 'POST', '/airtime/purchase', order)).status).toBe(202);
    expect(warningsOf(sandbox).map(({ message }) => message)).toEqual([
      'recipent is not a field of this call and was ignored: did you mean recipient?',
      'narration is not a field of this call and was ignored',
    ]);
  });

  test('a numeric recipient counts as its digits', async () => {
    const sandbox = subscribed();
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient: 8031234567 }));
    expect(reply.status).toBe(202);
    expect(sandbox.transactions[0]?.recipient).toBe('8031234567');
    expect(codesOf(sandbox)).toEqual(['numeric-recipient']);
  });

  test('no webhook subscription, or a disabled one', async () => {
    const sandbox = sandboxAtStart();
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(codesOf(sandbox)).toEqual(['no-webhook-subscription']);
    sandbox.webhooks.subscribe({ handler: () => new Response(), enabled: false });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('b'));
    expect(codesOf(sandbox)).toEqual(['no-webhook-subscription']);
  });

  test('no price guard on a catalogue product', async () => {
    const sandbox = subscribed();
    await call(sandbox, 'POST', '/data/purchase', bundle('a'));
    expect(codesOf(sandbox)).toEqual(['no-price-guard']);
  });

  test('a repeated key with another payload names both values', async () => {
    const sandbox = subscribed();
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(warningsOf(sandbox)).toEqual([]);
    const repeat = airtime('a', { recipient: '08099999999' });
    expect((await call(sandbox, 'POST', '/airtime/purchase', repeat)).status).toBe(202);
    expect(sandbox.requests.at(-1)).toMatchObject({ replayed: true });
    expect(warningsOf(sandbox)).toEqual([
      {
        code: 'key-repeated-with-other-payload',
        message: 'key repeated with a different recipient: the original was returned, nothing new was bought',
        differences: [{ field: 'recipient', original: '08031234567', repeated: '08099999999' }],
      },
    ]);
    await call(sandbox, 'POST', '/data/purchase', bundle('a', { amount: 900 }));
    expect(warningsOf(sandbox)[0]?.differences).toEqual([
      { field: 'call', original: 'airtime.purchase', repeated: 'data.purchase' },
      { field: 'product_code', original: undefined, repeated: 'MTN-2.5GB-1D' },
      { field: 'amount', original: 500, repeated: 900 },
    ]);
    expect(sandbox.transactions).toHaveLength(1);
  });

  test('a repeat of several PINs compares the unit price, and billers in any case', async () => {
    const sandbox = subscribed();
    const pins = { biller: 'WAEC', recipient: '0803', product_code: 'WAEC-RESULT', idempotency_key: 'p' };
    await call(sandbox, 'POST', '/edu/purchase', { ...pins, quantity: 3 });
    await call(sandbox, 'POST', '/edu/purchase', { ...pins, biller: 'waec', quantity: 3 });
    expect(warningsOf(sandbox)).toEqual([]);
    await call(sandbox, 'POST', '/airtime/purchase', airtime('fraction', { amount: 500.004 }));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('fraction', { amount: 500.004 }));
    expect(warningsOf(sandbox)).toEqual([]);
  });
});
