import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { airtime, call, receiver, referenceOf, sandboxAtStart } from '../support.js';

/** Each rule of the service's interface by its own name, with the expected JSON stated literally. */

const error = (code: string, message: unknown = expect.any(String)) => ({ status: 'error', code, message });

describe('Common request vocabulary', () => {
  test('client_id is sent in the JSON body for POST and as a query parameter for GET', async () => {
    const sandbox = sandboxAtStart();
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(202);
    expect((await call(sandbox, 'GET', '/data/products?biller=MTN')).status).toBe(200);
  });

  test('a missing client_id is a missing field in a POST and a missing parameter in a GET', async () => {
    const sandbox = sandboxAtStart();
    const post = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { client_id: undefined }));
    expect(post.status).toBe(422);
    expect(post.body).toEqual({
      ...error('VALIDATION_FAILED'),
      errors: { client_id: 'is required: the account identifier issued at registration' },
    });
    const get = await call(sandbox, 'GET', '/data/products?biller=MTN&client_id=');
    expect(get.status).toBe(400);
    expect(get.body).toEqual(error('BAD_REQUEST'));
  });

  test.each([
    ['airtime', '/airtime/purchase', { biller: 'mTn', recipient: '08031234567', amount: 100 }],
    ['data', '/data/purchase', { biller: 'glo', recipient: '08051234567', product_code: 'GLO-2.9GB-30D' }],
    ['tv', '/tv/purchase', { biller: 'dstv', recipient: '02110144711', product_code: 'DSTV-PADI' }],
    [
      'electricity',
      '/electricity/purchase',
      { biller: 'ikedc', recipient: '0124000952992', meter_type: 'prepaid', amount: 100 },
    ],
    ['edu', '/edu/purchase', { biller: 'waec', recipient: '08031234567', product_code: 'WAEC-RESULT' }],
  ])('biller is case-insensitive: %s', async (_, path, body) => {
    const sandbox = sandboxAtStart();
    expect((await call(sandbox, 'POST', path, { ...body, idempotency_key: 'a' })).status).toBe(202);
  });

  test('amount is at least 0.01 where required', async () => {
    const sandbox = sandboxAtStart();
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { amount: 0.01 }))).status).toBe(
      202,
    );
    for (const amount of [0, 0.009, -1, '500', null]) {
      const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('b', { amount }));
      expect(reply.status).toBe(422);
      expect(reply.body).toEqual({ ...error('VALIDATION_FAILED'), errors: { amount: expect.any(String) } });
    }
  });

  test('quantity defaults to 1, and the charge is price times quantity', async () => {
    const sandbox = sandboxAtStart();
    const order = { biller: 'WAEC', recipient: '08031234567', product_code: 'WAEC-RESULT' };
    const one = await call(sandbox, 'POST', '/edu/purchase', { ...order, idempotency_key: 'one' });
    const three = await call(sandbox, 'POST', '/edu/purchase', {
      ...order,
      quantity: 3,
      idempotency_key: 'three',
    });
    expect(one.body).toMatchObject({ data: { amount: 3900 } });
    expect(three.body).toMatchObject({ data: { amount: 11700 } });
    expect(sandbox.wallet().balance).toBe(100_000 - 3900 - 11_700);
    for (const quantity of [0, 1.5, '2', -1]) {
      const reply = await call(sandbox, 'POST', '/edu/purchase', {
        ...order,
        quantity,
        idempotency_key: 'x',
      });
      expect(reply.body).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { quantity: expect.any(String) },
      });
    }
  });

  test('customer_phone is recommended, not required', async () => {
    const sandbox = sandboxAtStart();
    const order = { biller: 'GOTV', recipient: '2011014471', product_code: 'GOTV-MAX' };
    const without = await call(sandbox, 'POST', '/tv/purchase', { ...order, idempotency_key: 'a' });
    const withPhone = await call(sandbox, 'POST', '/tv/purchase', {
      ...order,
      customer_phone: '08031234567',
      idempotency_key: 'b',
    });
    expect([without.status, withPhone.status]).toEqual([202, 202]);
  });

  test('idempotency_key is required on every purchase', async () => {
    const sandbox = sandboxAtStart();
    for (const path of ['airtime', 'data', 'tv', 'electricity', 'edu']) {
      const reply = await call(sandbox, 'POST', `/${path}/purchase`, {});
      expect(reply.status).toBe(422);
      expect(reply.body).toMatchObject({ errors: { idempotency_key: expect.any(String) } });
    }
    expect(sandbox.transactions).toEqual([]);
  });

  test('fields that are not documented are ignored', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { campaign: 'january' }));
    expect(reply.status).toBe(202);
  });
});

describe('Purchase acceptance envelope', () => {
  test('202 with exactly the documented fields', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(reply.status).toBe(202);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.body).toEqual({
      status: 'pending',
      code: 'PROCESSING',
      message: 'Your purchase was accepted and is being processed.',
      data: {
        reference: sandbox.transactions[0]?.reference,
        recipient: '08031234567',
        biller: 'MTN',
        amount: 500,
        channel: 'API_GATEWAY',
        currency: 'NGN',
        created_at: '2026-01-31 09:30:00',
      },
    });
  });

  test('the reference is the service’s own, not the idempotency_key', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('my-order-17'));
    expect(referenceOf(reply)).toMatch(/^TXN-[0-9A-HJKMNP-TV-Z]{16}$/);
    expect(JSON.stringify(reply.body)).not.toContain('my-order-17');
  });

  test('amount is the listed price for catalogue products', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'POST', '/data/purchase', {
      biller: 'AIRTEL',
      recipient: '08021234567',
      product_code: 'AIRTEL-1GB-1D',
      idempotency_key: 'a',
    });
    expect(reply.body).toMatchObject({ data: { amount: 350, biller: 'AIRTEL', recipient: '08021234567' } });
  });
});

describe('Catalogues', () => {
  test('GET /data/products: status, biller, products of product_code, name, amount', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'GET', '/data/products?biller=9mobile');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      status: 'success',
      biller: '9MOBILE',
      products: [
        { product_code: '9MOBILE-100MB-1D', name: '100MB, 1 day', amount: 100 },
        { product_code: '9MOBILE-1.5GB-30D', name: '1.5GB, 30 days', amount: 1000 },
        { product_code: '9MOBILE-4.5GB-30D', name: '4.5GB, 30 days', amount: 2000 },
      ],
    });
  });

  test('GET /tv/products', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'GET', '/tv/products?biller=STARTIMES');
    expect(reply.body).toEqual({
      status: 'success',
      biller: 'STARTIMES',
      products: [
        { product_code: 'STARTIMES-NOVA', name: 'StarTimes Nova', amount: 1700 },
        { product_code: 'STARTIMES-SMART', name: 'StarTimes Smart', amount: 3800 },
        { product_code: 'STARTIMES-SUPER', name: 'StarTimes Super', amount: 7500 },
      ],
    });
  });

  test('GET /edu/products', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'GET', '/edu/products?biller=JAMB');
    expect(reply.body).toEqual({
      status: 'success',
      biller: 'JAMB',
      products: [
        { product_code: 'JAMB-UTME', name: 'JAMB UTME PIN', amount: 7200 },
        { product_code: 'JAMB-UTME-MOCK', name: 'JAMB UTME PIN with mock', amount: 8700 },
      ],
    });
  });

  test.each(['/data/products', '/tv/products', '/edu/products'])(
    'a missing biller is 400 BAD_REQUEST: %s',
    async (path) => {
      const reply = await call(sandboxAtStart(), 'GET', path);
      expect(reply.status).toBe(400);
      expect(reply.body).toEqual(error('BAD_REQUEST', 'Required query parameters are missing: biller.'));
    },
  );

  test('every documented biller has a catalogue', async () => {
    const sandbox = sandboxAtStart();
    const billers = {
      data: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
      tv: ['DSTV', 'GOTV', 'STARTIMES'],
      edu: ['WAEC', 'NECO', 'NABTEB', 'JAMB'],
    };
    for (const [family, names] of Object.entries(billers)) {
      for (const name of names) {
        const reply = await call(sandbox, 'GET', `/${family}/products?biller=${name}`);
        expect(reply.body).toMatchObject({ biller: name, products: { 0: { amount: expect.any(Number) } } });
      }
    }
  });

  test('an unconfigured biller is 422 GATEWAY_ERROR', async () => {
    const reply = await call(sandboxAtStart(), 'GET', '/data/products?biller=VODACOM');
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual(error('GATEWAY_ERROR', 'This biller is not configured: VODACOM.'));
  });
});

describe('Validate', () => {
  test('tv: status and customer_name', async () => {
    const sandbox = sandboxAtStart();
    const body = { biller: 'DSTV', recipient: '02110144711' };
    const reply = await call(sandbox, 'POST', '/tv/validate', body);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      status: 'success',
      customer_name: expect.stringMatching(/^[A-Z]+ [A-Z]+$/),
    });
    expect((await call(sandbox, 'POST', '/tv/validate', body)).body).toEqual(reply.body);
  });

  test('electricity: status, customer_name and address', async () => {
    const reply = await call(sandboxAtStart(), 'POST', '/electricity/validate', {
      biller: 'AEDC',
      recipient: '0124000952992',
      meter_type: 'postpaid',
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      status: 'success',
      customer_name: expect.stringMatching(/^[A-Z]+ [A-Z]+$/),
      address: expect.stringMatching(/^\d+ [A-Z ]+$/),
    });
  });

  test('edu: status and customer_name', async () => {
    const reply = await call(sandboxAtStart(), 'POST', '/edu/validate', {
      biller: 'JAMB',
      recipient: '0123456789',
    });
    expect(reply.body).toEqual({ status: 'success', customer_name: expect.any(String) });
  });

  test.each([
    ['/tv/validate', { biller: 'DSTV' }],
    ['/electricity/validate', { biller: 'IKEDC', meter_type: 'prepaid' }],
    ['/edu/validate', { biller: 'NECO' }],
  ])('an unconfirmable recipient is 422 VERIFICATION_FAILED: %s', async (path, body) => {
    const reply = await call(sandboxAtStart(), 'POST', path, { ...body, recipient: '08000000004' });
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual(error('VERIFICATION_FAILED'));
  });

  test.each(['prepaid', 'postpaid'])(
    'a %s meter gets a token, in the event and in the lookup',
    async (meter_type) => {
      const sandbox = sandboxAtStart({ settleAfter: 'manual' });
      const events: unknown[] = [];
      sandbox.webhooks.subscribe({
        handler: async (request) => {
          events.push(await request.json());
          return new Response();
        },
      });
      const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type, amount: 5000 };
      const reference = referenceOf(
        await call(sandbox, 'POST', '/electricity/purchase', { ...meter, idempotency_key: 'a' }),
      );
      await sandbox.settle(reference, 'success');
      const { body } = await call(sandbox, 'GET', `/transactions/status?reference=${reference}`);
      expect(body).toMatchObject({ data: { token: expect.stringMatching(/^\d{20}$/) } });
      expect(events).toMatchObject([{ data: { token: sandbox.transaction(reference)?.token } }]);
    },
  );

  test('meter_type is prepaid or postpaid', async () => {
    const reply = await call(sandboxAtStart(), 'POST', '/electricity/validate', {
      biller: 'IKEDC',
      recipient: '0124000952992',
      meter_type: 'smart',
    });
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual({
      ...error('VALIDATION_FAILED', 'Some fields are missing or invalid.'),
      errors: { meter_type: "must be 'prepaid' or 'postpaid'" },
    });
  });

  test('nothing is charged', async () => {
    const sandbox = sandboxAtStart();
    await call(sandbox, 'POST', '/tv/validate', { biller: 'DSTV', recipient: '02110144711' });
    expect(sandbox.wallet().balance).toBe(100_000);
  });
});

describe('States and transitions', () => {
  test('accepted: pending, and the wallet is debited at once', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(sandbox.wallet().balance).toBe(99_500);
    const status = await call(sandbox, 'GET', `/transactions/status?reference=${referenceOf(reply)}`);
    expect(status.status).toBe(200);
    expect(status.body).toEqual({
      status: 'success',
      data: {
        reference: referenceOf(reply),
        transaction_status: 'pending',
        amount: 500,
        amount_charged: 500,
        service_amount: 500,
        commission: 10,
        commission_received: 10,
        service_type: 'VTU_AIRTIME',
        biller: 'MTN',
        network: 'MTN',
        token: null,
        created_at: '2026-01-31 09:30:00',
        updated_at: '2026-01-31 09:30:00',
        refunded: false,
      },
    });
  });

  test('pending to success: completed_at set, the token there, the debit stands', async () => {
    const sandbox = sandboxAtStart({ settleAfter: '90s' });
    const reply = await call(sandbox, 'POST', '/electricity/purchase', {
      biller: 'IKEDC',
      recipient: '0124000952992',
      meter_type: 'prepaid',
      amount: 9000.5,
      idempotency_key: 'a',
    });
    expect(JSON.stringify(reply.body)).not.toContain('token');
    await sandbox.advance('90s');
    const status = await call(sandbox, 'GET', `/transactions/status?reference=${referenceOf(reply)}`);
    expect(status.body).toEqual({
      status: 'success',
      data: {
        reference: referenceOf(reply),
        transaction_status: 'success',
        amount: 9000.5,
        amount_charged: 9000.5,
        service_amount: 9000.5,
        commission: 150,
        commission_received: 150,
        service_type: 'ELECTRICITY',
        biller: 'IKEDC',
        network: 'IKEDC',
        token: expect.stringMatching(/^\d{20}$/),
        created_at: '2026-01-31 09:30:00',
        updated_at: '2026-01-31 09:31:30',
        refunded: false,
        completed_at: '2026-01-31 09:31:30',
      },
    });
    expect(sandbox.wallet().balance).toBe(90_999.5);
  });

  test('pending to failed: credited back, refunded true, no token', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(
      sandbox,
      'POST',
      '/airtime/purchase',
      airtime('a', { recipient: '08000000001' }),
    );
    expect(sandbox.wallet().balance).toBe(99_500);
    await sandbox.advance('1s');
    expect(sandbox.wallet().balance).toBe(100_000);
    const status = await call(sandbox, 'GET', `/transactions/status?reference=${referenceOf(reply)}`);
    expect(status.body).toEqual({
      status: 'success',
      data: {
        reference: referenceOf(reply),
        transaction_status: 'failed',
        amount: 500,
        amount_charged: 500,
        service_amount: 500,
        commission: 0,
        commission_received: 0,
        service_type: 'VTU_AIRTIME',
        biller: 'MTN',
        network: 'MTN',
        token: null,
        created_at: '2026-01-31 09:30:00',
        updated_at: '2026-01-31 09:30:01',
        refunded: true,
        completed_at: '2026-01-31 09:30:01',
      },
    });
  });

  test('success and failed are final', async () => {
    const sandbox = sandboxAtStart({ settleAfter: 'manual' });
    for (const outcome of ['success', 'failed'] as const) {
      const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime(outcome)));
      await sandbox.settle(reference, outcome);
      await expect(sandbox.settle(reference, 'success')).rejects.toThrow('which is final');
      await expect(sandbox.settle(reference, 'failed')).rejects.toThrow('which is final');
      await sandbox.advance('2d');
      expect(sandbox.transaction(reference)?.status).toBe(outcome);
    }
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  test('a purchase rejected at request time creates no charge', async () => {
    const sandbox = sandboxAtStart();
    const statuses = await Promise.all([
      call(sandbox, 'POST', '/airtime/purchase', airtime('a', { amount: 100_000.01 })),
      call(sandbox, 'POST', '/airtime/purchase', airtime('b', { recipient: '08000000003' })),
      call(sandbox, 'POST', '/airtime/purchase', airtime('c', { recipient: '08000000009' })),
    ]);
    expect(statuses.map(({ status, body }) => [status, body])).toEqual([
      [402, error('INSUFFICIENT_BALANCE')],
      [503, error('PROVIDER_UNAVAILABLE')],
      [503, error('QUEUE_UNAVAILABLE')],
    ]);
    expect(sandbox.transactions).toEqual([]);
    expect(sandbox.wallet().ledger).toHaveLength(1);
  });

  test('the token: electricity and education only', async () => {
    const sandbox = sandboxAtStart({ settleAfter: 0 });
    const orders: [string, Record<string, unknown>][] = [
      ['/airtime/purchase', { biller: 'MTN', recipient: '0803', amount: 50 }],
      ['/data/purchase', { biller: 'MTN', recipient: '0803', product_code: 'MTN-2GB-1D' }],
      ['/tv/purchase', { biller: 'GOTV', recipient: '0803', product_code: 'GOTV-MAX' }],
      ['/electricity/purchase', { biller: 'AEDC', recipient: '01', meter_type: 'postpaid', amount: 50 }],
      ['/electricity/purchase', { biller: 'AEDC', recipient: '01', meter_type: 'prepaid', amount: 50 }],
      ['/edu/purchase', { biller: 'waec', recipient: '08', product_code: 'WAEC-RESULT', quantity: 2 }],
      ['/edu/purchase', { biller: 'JAMB', recipient: '08', product_code: 'JAMB-UTME' }],
    ];
    for (const [at, [path, body]] of orders.entries()) {
      await call(sandbox, 'POST', path, { ...body, idempotency_key: `order-${at}` });
    }
    await sandbox.advance(0);
    const pin = 'Serial No:WRN\\d{9}, pin: \\d{12}';
    expect(sandbox.transactions.map(({ token }) => token)).toEqual([
      null,
      null,
      null,
      expect.stringMatching(/^\d{20}$/),
      expect.stringMatching(/^\d{20}$/),
      expect.stringMatching(new RegExp(`^${pin}\\|\\|${pin}$`)),
      expect.stringMatching(/^\d{16}$/),
    ]);
  });
});

describe('Transaction status', () => {
  test('a reference of another client is 404 and reveals nothing', async () => {
    const sandbox = sandboxAtStart();
    const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime('a')));
    const foreign = await call(sandbox, 'GET', `/transactions/status?reference=${reference}`, undefined, {
      clientId: 'client_empty',
    });
    const unknown = await call(sandbox, 'GET', '/transactions/status?reference=TXN-NONE');
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(error('NOT_FOUND', 'There is no transaction with this reference.'));
    expect([unknown.status, unknown.body]).toEqual([foreign.status, foreign.body]);
  });

  test('a missing reference is 400', async () => {
    const reply = await call(sandboxAtStart(), 'GET', '/transactions/status');
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual(error('BAD_REQUEST', 'Required query parameters are missing: reference.'));
  });

  test('a public key is refused', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'GET', '/transactions/status?reference=TXN-1', undefined, {
      key: sandbox.credentials.publicKey,
    });
    expect(reply.status).toBe(403);
    expect(reply.body).toEqual(error('GATEWAY_ERROR'));
  });
});

describe('Webhook subscription', () => {
  test('url, one-time secret, enabled, signature_version', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url: 'https://shop.example/hooks' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      status: 'success',
      data: {
        url: 'https://shop.example/hooks',
        secret: expect.stringMatching(/^whsec_[a-z0-9]{32}$/),
        enabled: true,
        signature_version: 'v1',
      },
    });
    const again = await call(sandbox, 'POST', '/webhooks/subscribe', {
      url: 'https://shop.example/hooks',
      enabled: false,
    });
    expect(again.body).toMatchObject({ data: { enabled: false } });
    expect(again.body).not.toMatchObject({
      data: { secret: JSON.parse(JSON.stringify(reply.body)).data.secret },
    });
  });

  test('the url is https and at most 2048 characters', async () => {
    const sandbox = sandboxAtStart();
    const path = 'x'.repeat(2048 - 'https://shop.example/'.length);
    const longest = await call(sandbox, 'POST', '/webhooks/subscribe', {
      url: `https://shop.example/${path}`,
    });
    expect(longest.status).toBe(200);
    const wrong = [
      `https://shop.example/${path}x`,
      'http://shop.example/',
      'ftp://shop.example',
      'shop',
      '',
      7,
    ];
    for (const url of [...wrong, undefined]) {
      const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url });
      expect(reply.status).toBe(422);
      expect(reply.body).toEqual({ ...error('VALIDATION_FAILED'), errors: { url: expect.any(String) } });
    }
  });

  test('a public key is refused', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(
      sandbox,
      'POST',
      '/webhooks/subscribe',
      { url: 'https://shop.example/' },
      { key: sandbox.credentials.publicKey },
    );
    expect([reply.status, reply.body]).toEqual([
      403,
      error('GATEWAY_ERROR', 'This endpoint needs a Secret Key.'),
    ]);
  });
});

describe('Idempotency rules', () => {
  test('1. a reused key returns the original transaction and does not charge again', async () => {
    const sandbox = sandboxAtStart();
    const first = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const again = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const otherPayload = await call(
      sandbox,
      'POST',
      '/airtime/purchase',
      airtime('a', { amount: 9, recipient: '0805', biller: 'GLO' }),
    );
    const otherProduct = await call(sandbox, 'POST', '/data/purchase', {
      biller: 'MTN',
      recipient: '0803',
      product_code: 'NO-SUCH',
      idempotency_key: 'a',
    });
    for (const reply of [again, otherPayload, otherProduct]) {
      expect([reply.status, reply.body]).toEqual([202, first.body]);
    }
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  test('1. also once settled, and with a wallet that is empty by then', async () => {
    const sandbox = sandboxAtStart({ balance: 500 });
    const first = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(sandbox.wallet().balance).toBe(0);
    await sandbox.advance('1h');
    const again = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect([again.status, again.body]).toEqual([202, first.body]);
  });

  test('2. a different key is always a new attempt', async () => {
    const sandbox = sandboxAtStart();
    const first = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const second = await call(sandbox, 'POST', '/airtime/purchase', airtime('b'));
    expect(referenceOf(second)).not.toBe(referenceOf(first));
    expect(sandbox.wallet().balance).toBe(99_000);
  });

  test('3. while a request with the key is in flight, a repeat is 409 ALREADY_PROCESSING', async () => {
    const sandbox = sandboxAtStart();
    const order = airtime('a', { recipient: '08000000006' });
    const slow = call(sandbox, 'POST', '/airtime/purchase', order);
    const repeat = await call(sandbox, 'POST', '/airtime/purchase', order);
    expect([repeat.status, repeat.body]).toEqual([
      409,
      error('ALREADY_PROCESSING', 'A request with this idempotency_key is still in flight.'),
    ]);
    await sandbox.advance('3s');
    const first = await slow;
    expect(first.status).toBe(202);
    const later = await call(sandbox, 'POST', '/airtime/purchase', order);
    expect([later.status, later.body]).toEqual([202, first.body]);
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  test('4. a request that failed with 402, 422 or 503 has not used its key', async () => {
    const sandbox = sandboxAtStart({ balance: 100 });
    const rejected = [
      airtime('a'),
      airtime('a', { amount: 'x' }),
      airtime('a', { biller: 'NONE', amount: 1 }),
      airtime('a', { recipient: '08000000003', amount: 1 }),
    ];
    for (const order of rejected) {
      expect((await call(sandbox, 'POST', '/airtime/purchase', order)).status).toBeGreaterThanOrEqual(400);
    }
    const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { amount: 100 }));
    expect([reply.status, sandbox.wallet().balance]).toEqual([202, 0]);
  });

  test('4. after a 500 or 502 the same key gives the one transaction', async () => {
    for (const recipient of ['08000000007', '08000000008']) {
      const sandbox = sandboxAtStart();
      const first = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient }));
      expect(first.status).toBe(recipient === '08000000007' ? 500 : 502);
      const again = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient }));
      expect(again.status).toBe(202);
      expect(sandbox.transactions).toHaveLength(1);
      expect(sandbox.wallet().balance).toBe(99_500);
    }
  });

  test('keys belong to their client', async () => {
    const clients = [{ clientId: 'one' }, { clientId: 'two' }];
    const sandbox = sandboxAtStart({ clients });
    const one = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const two = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), { clientId: 'two' });
    expect(referenceOf(two)).not.toBe(referenceOf(one));
    expect([sandbox.wallet('one').balance, sandbox.wallet('two').balance]).toEqual([99_500, 99_500]);
  });
});

describe('Authentication', () => {
  const unauthorized = error('UNAUTHORIZED', 'The API key is missing, malformed, invalid or suspended.');

  test.each([
    ['missing', undefined],
    ['malformed', 'Basic c2hvcDpzZWNyZXQ='],
    ['malformed', 'Bearer'],
    ['malformed', 'Bearer sk_one sk_two'],
    ['invalid', 'Bearer sk_live_fromAnotherEnvironment'],
  ])('5. a %s bearer token is 401: %s', async (_, authorization) => {
    const sandbox = sandboxAtStart();
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const reply = await call(sandbox, 'GET', '/data/products?biller=MTN', undefined, {
      key: undefined,
      headers,
    });
    expect([reply.status, reply.body]).toEqual([401, unauthorized]);
  });

  test('5. a suspended key is 401', async () => {
    const sandbox = sandboxAtStart();
    const reply = await call(sandbox, 'GET', '/data/products?biller=MTN', undefined, {
      clientId: 'client_suspended',
    });
    expect([reply.status, reply.body]).toEqual([401, unauthorized]);
  });

  test('2. client_id must match the key; an unregistered one is 403 GATEWAY_ERROR', async () => {
    const sandbox = sandboxAtStart();
    for (const clientId of ['client_empty', 'nobody']) {
      const reply = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { client_id: clientId }));
      expect([reply.status, reply.body]).toEqual([403, error('GATEWAY_ERROR')]);
      const get = await call(sandbox, 'GET', `/data/products?biller=MTN&client_id=${clientId}`);
      expect([get.status, get.body]).toEqual([403, error('GATEWAY_ERROR')]);
    }
  });

  test('3. a public key may call catalogues and validate calls', async () => {
    const sandbox = sandboxAtStart();
    const as = { key: sandbox.credentials.publicKey };
    const replies = [
      await call(sandbox, 'GET', '/data/products?biller=MTN', undefined, as),
      await call(sandbox, 'GET', '/tv/products?biller=DSTV', undefined, as),
      await call(sandbox, 'GET', '/edu/products?biller=WAEC', undefined, as),
      await call(sandbox, 'POST', '/tv/validate', { biller: 'DSTV', recipient: '1' }, as),
      await call(sandbox, 'POST', '/edu/validate', { biller: 'NECO', recipient: '1' }, as),
      await call(
        sandbox,
        'POST',
        '/electricity/validate',
        { biller: 'IKEDC', recipient: '1', meter_type: 'prepaid' },
        as,
      ),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  test('4. a public key on a purchase is 403 GATEWAY_ERROR, and nothing happens', async () => {
    const sandbox = sandboxAtStart();
    for (const family of ['airtime', 'data', 'tv', 'electricity', 'edu']) {
      const reply = await call(sandbox, 'POST', `/${family}/purchase`, airtime('a'), {
        key: sandbox.credentials.publicKey,
      });
      expect([reply.status, reply.body]).toEqual([403, error('GATEWAY_ERROR')]);
    }
    expect(sandbox.transactions).toEqual([]);
  });

  test('7. rotation: the old secret stops working; client_id and public key stay', async () => {
    const sandbox = sandboxAtStart();
    const { clientId, secretKey, publicKey } = sandbox.credentials;
    const fresh = sandbox.client().rotateSecretKey();
    expect(fresh).not.toBe(secretKey);
    expect(sandbox.credentials).toEqual({ clientId, secretKey: fresh, publicKey });
    const path = '/data/products?biller=MTN';
    expect((await call(sandbox, 'GET', path, undefined, { key: secretKey })).status).toBe(401);
    expect((await call(sandbox, 'GET', path, undefined, { key: fresh })).status).toBe(200);
    expect((await call(sandbox, 'GET', path, undefined, { key: publicKey })).status).toBe(200);
  });

  test('7. revocation disables a key at once, without a replacement', async () => {
    const sandbox = sandboxAtStart();
    const { secretKey, publicKey } = sandbox.credentials;
    const path = '/data/products?biller=MTN';
    sandbox.client().revokeKey('secret');
    expect((await call(sandbox, 'GET', path, undefined, { key: secretKey })).status).toBe(401);
    expect((await call(sandbox, 'GET', path, undefined, { key: publicKey })).status).toBe(200);
    sandbox.client().revokeKey('public');
    expect((await call(sandbox, 'GET', path, undefined, { key: publicKey })).status).toBe(401);
  });

  test('8. IP allow-list: other addresses get the same 401 as an invalid key', async () => {
    const sandbox = sandboxAtStart();
    const as = { clientId: 'client_allowlisted' };
    const path = '/data/products?biller=MTN';
    const elsewhere = await call(sandbox, 'GET', path, undefined, as);
    expect([elsewhere.status, elsewhere.body]).toEqual([401, unauthorized]);
    const allowed = { ...as, headers: { 'x-forwarded-for': '203.0.113.10, 10.0.0.1' } };
    expect((await call(sandbox, 'GET', path, undefined, allowed)).status).toBe(200);
    sandbox.client('client_allowlisted').update({ allowedIps: [] });
    expect((await call(sandbox, 'GET', path, undefined, as)).status).toBe(200);
  });

  test('9. an account not in good standing: ACCOUNT_RESTRICTED on purchases, reading works', async () => {
    const sandbox = sandboxAtStart();
    const as = { clientId: 'client_unverified' };
    const purchase = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), as);
    expect([purchase.status, purchase.body]).toEqual([
      403,
      error('ACCOUNT_RESTRICTED', 'This account is not permitted to transact.'),
    ]);
    expect((await call(sandbox, 'GET', '/data/products?biller=MTN', undefined, as)).status).toBe(200);
    const lookup = await call(sandbox, 'GET', '/transactions/status?reference=TXN-1', undefined, as);
    expect(lookup.status).toBe(404);
    sandbox.client('client_unverified').update({ verified: true });
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), as)).status).toBe(202);
  });
});

describe('Events', () => {
  const subscribe = async (sandbox: ReturnType<typeof sandboxAtStart>, url: string) => {
    const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url });
    return /whsec_\w+/.exec(JSON.stringify(reply.body))?.[0] ?? '';
  };

  test('transaction.completed: compact JSON, five headers, a valid signature', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    const secret = await subscribe(sandbox, hook.url);
    const reply = await call(sandbox, 'POST', '/electricity/purchase', {
      biller: 'EKEDC',
      recipient: '0124000952992',
      meter_type: 'prepaid',
      amount: 2500,
      idempotency_key: 'a',
    });
    await sandbox.advance('1s');
    expect(hook.received).toHaveLength(1);
    const { headers, body } = hook.received[0]!;
    const token = sandbox.transactions[0]?.token;
    expect(token).toMatch(/^\d{20}$/);
    expect(body).toBe(
      `{"event":"transaction.completed","timestamp":"2026-01-31T09:30:01Z","signature_version":"v1","data":{"reference":"${referenceOf(reply)}","status":"success","service_type":"ELECTRICITY","amount":2500,"token":"${token}","completed_at":"2026-01-31T09:30:01Z","metadata":{}}}`,
    );
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-service-timestamp']).toBe('1769851801');
    expect(headers['x-service-event']).toBe('transaction.completed');
    expect(headers['x-service-delivery-id']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const digest = createHmac('sha256', secret).update(`1769851801.${body}`).digest('hex');
    expect(headers['x-service-signature']).toBe(digest);
  });

  test('transaction.failed fires when the refund has already happened', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    await subscribe(sandbox, hook.url);
    const seen: unknown[] = [];
    sandbox.onActivity((activity) => {
      if (activity.type === 'delivery') seen.push(sandbox.wallet().balance);
    });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient: '08000000001' }));
    await sandbox.advance('1s');
    expect(JSON.parse(hook.received[0]?.body ?? '')).toEqual({
      event: 'transaction.failed',
      timestamp: '2026-01-31T09:30:01Z',
      signature_version: 'v1',
      data: {
        reference: sandbox.transactions[0]?.reference,
        status: 'failed',
        service_type: 'VTU_AIRTIME',
        amount: 500,
        token: null,
        completed_at: '2026-01-31T09:30:01Z',
        metadata: {},
      },
    });
    expect(seen).toEqual([100_000]);
  });

  test('education PINs are in the status lookup, not in the webhook', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    await subscribe(sandbox, hook.url);
    await call(sandbox, 'POST', '/edu/purchase', {
      biller: 'NECO',
      recipient: '0123456789',
      product_code: 'NECO-RESULT',
      idempotency_key: 'a',
    });
    await sandbox.advance('1s');
    expect(JSON.parse(hook.received[0]?.body ?? '')).toMatchObject({ data: { token: null, amount: 1100 } });
    expect(sandbox.transactions[0]?.token).toMatch(/^\d{12}$/);
  });

  test.each([500, 404, 302, 'nothing'] as const)(
    '4. any response other than a prompt 2xx counts as failed: %s',
    async (status) => {
      const sandbox = sandboxAtStart({ webhookTimeout: 500 });
      const hook = await receiver();
      if (status === 'nothing') hook.state.hang = true;
      else hook.state.status = status;
      await subscribe(sandbox, hook.url);
      await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
      await sandbox.advance('1s');
      const [attempt] = sandbox.deliveries[0]?.attempts ?? [];
      expect(attempt).toMatchObject({
        number: 1,
        reason: 'first',
        delivered: false,
        status: status === 'nothing' ? undefined : status,
        error: status === 'nothing' ? 'no response within 500 ms' : undefined,
      });
      expect(hook.received).toHaveLength(1);
    },
  );

  test('5. retries after 1m, 5m, 15m, 30m, 1h, 6h and 24h, with one delivery id, then it stops', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    hook.state.status = 503;
    await subscribe(sandbox, hook.url);
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.advance('1s');
    expect(hook.received).toHaveLength(1);
    const delays = ['1m', '5m', '15m', '30m', '1h', '6h', '24h'] as const;
    for (const [at, delay] of delays.entries()) {
      await sandbox.advance(delay);
      expect(hook.received).toHaveLength(at + 2);
    }
    expect(sandbox.deliveries[0]).toMatchObject({ state: 'failed', nextAttemptAt: undefined });
    await sandbox.advance('30d');
    expect(hook.received).toHaveLength(8);
    expect(new Set(hook.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(1);
    expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
  });

  test('5. 31 hours of retries pass in one step, in order', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    hook.state.status = 500;
    await subscribe(sandbox, hook.url);
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.advance('32h');
    expect(sandbox.deliveries[0]?.attempts.map(({ at }) => at.toISOString())).toEqual([
      '2026-01-31T09:30:01.000Z',
      '2026-01-31T09:31:01.000Z',
      '2026-01-31T09:36:01.000Z',
      '2026-01-31T09:51:01.000Z',
      '2026-01-31T10:21:01.000Z',
      '2026-01-31T11:21:01.000Z',
      '2026-01-31T17:21:01.000Z',
      '2026-02-01T17:21:01.000Z',
    ]);
  });

  test('5. a retry that is taken ends the retries', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    hook.state.status = 500;
    await subscribe(sandbox, hook.url);
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.advance('1s');
    hook.state.status = 204;
    await sandbox.advance('1m');
    expect(sandbox.deliveries[0]).toMatchObject({ state: 'delivered', nextAttemptAt: undefined });
    await sandbox.advance('30d');
    expect(hook.received).toHaveLength(2);
  });

  test('a subscription that is not enabled gets nothing', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url, enabled: false });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.advance('1h');
    expect([hook.received, sandbox.deliveries]).toEqual([[], []]);
  });
});

describe('Errors', () => {
  test('404 where there is no endpoint', async () => {
    const reply = await call(sandboxAtStart(), 'GET', '/nothing');
    expect([reply.status, reply.body]).toEqual([404, error('NOT_FOUND')]);
  });

  test.each([
    ['GET', '/airtime/purchase', 'POST'],
    ['GET', '/tv/validate', 'POST'],
    ['POST', '/data/products', 'GET'],
    ['DELETE', '/transactions/status', 'GET'],
    ['PUT', '/webhooks/subscribe', 'POST'],
  ])('405 METHOD_NOT_ALLOWED with Allow: %s %s', async (method, path, allow) => {
    const reply = await call(sandboxAtStart(), method, path, method === 'GET' ? undefined : {}, {
      key: undefined,
    });
    expect([reply.status, reply.headers.get('allow'), reply.body]).toEqual([
      405,
      allow,
      error('METHOD_NOT_ALLOWED', `This endpoint takes ${allow} only.`),
    ]);
  });

  test('422 VALIDATION_FAILED names each field at once', async () => {
    const reply = await call(sandboxAtStart(), 'POST', '/electricity/purchase', { recipient: true });
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual({
      status: 'error',
      code: 'VALIDATION_FAILED',
      message: 'Some fields are missing or invalid.',
      errors: {
        biller: "is required: the biller, such as 'IKEDC'",
        recipient: expect.stringContaining('must be a string'),
        meter_type: "is required: 'prepaid' or 'postpaid'",
        amount: 'is required: the amount in NGN, as a number',
        idempotency_key: 'is required: a unique value for this purchase attempt',
      },
    });
  });

  test('422 AMOUNT_MISMATCH when the amount sent differs from the listed price', async () => {
    const sandbox = sandboxAtStart();
    const order = { biller: 'DSTV', recipient: '02110144711', product_code: 'DSTV-PADI' };
    const wrong = await call(sandbox, 'POST', '/tv/purchase', {
      ...order,
      amount: 4400.01,
      idempotency_key: 'a',
    });
    expect([wrong.status, wrong.body]).toEqual([
      422,
      error('AMOUNT_MISMATCH', 'The listed price of DSTV-PADI is 4400 NGN.'),
    ]);
    expect(sandbox.wallet().balance).toBe(100_000);
    const right = await call(sandbox, 'POST', '/tv/purchase', {
      ...order,
      amount: 4400,
      idempotency_key: 'a',
    });
    expect(right.body).toMatchObject({ data: { amount: 4400 } });
  });

  test('422 GATEWAY_ERROR for an unknown product_code and an unconfigured biller', async () => {
    const sandbox = sandboxAtStart();
    const order = { biller: 'MTN', recipient: '0803', product_code: 'GLO-2.9GB-30D', idempotency_key: 'a' };
    const product = await call(sandbox, 'POST', '/data/purchase', order);
    expect([product.status, product.body]).toEqual([
      422,
      error('GATEWAY_ERROR', 'Unknown product_code for this biller: GLO-2.9GB-30D.'),
    ]);
    const biller = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { biller: 'DSTV' }));
    expect([biller.status, biller.body]).toEqual([422, error('GATEWAY_ERROR')]);
    const meter = { biller: 'ENUGU', recipient: '1', meter_type: 'prepaid' };
    expect((await call(sandbox, 'POST', '/electricity/validate', meter)).status).toBe(422);
    expect(sandbox.transactions).toEqual([]);
  });

  test('402 INSUFFICIENT_BALANCE to the kobo', async () => {
    const sandbox = sandboxAtStart({ balance: 500.01 });
    const over = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { amount: 500.02 }));
    expect([over.status, over.body]).toEqual([402, error('INSUFFICIENT_BALANCE')]);
    const exact = await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { amount: 500.01 }));
    expect([exact.status, sandbox.wallet().balance]).toEqual([202, 0]);
  });

  test('400 BAD_REQUEST for a body that is no JSON object', async () => {
    const sandbox = sandboxAtStart();
    for (const body of ['{"client_id":', '[]', '"text"', '7']) {
      const response = await sandbox.fetch('https://service.example/api/v1/airtime/purchase', {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.credentials.secretKey}` },
        body,
      });
      expect([response.status, await response.json()]).toEqual([400, error('BAD_REQUEST')]);
    }
  });

  test('502 GATEWAY_ERROR when a catalogue could not be loaded', async () => {
    const sandbox = sandboxAtStart();
    sandbox.faults.add({ operation: 'tv.products', status: 502 });
    const reply = await call(sandbox, 'GET', '/tv/products?biller=DSTV');
    expect([reply.status, reply.body]).toEqual([502, error('GATEWAY_ERROR')]);
    expect((await call(sandbox, 'GET', '/tv/products?biller=DSTV')).status).toBe(200);
  });
});

describe('Rate limits', () => {
  const limited = (seconds: number) => ({
    status: 'error',
    code: 'RATE_LIMITED',
    message: `Too many requests. Retry after ${seconds} seconds.`,
    retry_after_seconds: seconds,
  });
  const path = '/data/products?biller=MTN';

  test('off by default', async () => {
    const sandbox = sandboxAtStart();
    for (let count = 0; count < 150; count++) {
      expect((await call(sandbox, 'GET', path)).status).toBe(200);
    }
  });

  test('ip: 60 requests per 60 seconds, with Retry-After', async () => {
    const sandbox = sandboxAtStart({ rateLimits: true });
    for (let count = 0; count < 60; count++) expect((await call(sandbox, 'GET', path)).status).toBe(200);
    await sandbox.advance('18s');
    const reply = await call(sandbox, 'GET', path);
    expect([reply.status, reply.headers.get('retry-after'), reply.body]).toEqual([429, '42', limited(42)]);
    const elsewhere = { headers: { 'x-forwarded-for': '198.51.100.7' } };
    expect((await call(sandbox, 'GET', path, undefined, elsewhere)).status).toBe(200);
    await sandbox.advance('42s');
    expect((await call(sandbox, 'GET', path)).status).toBe(200);
  });

  test('api_key and client: 100 requests per 60 seconds', async () => {
    const sandbox = sandboxAtStart({ rateLimits: { ip: false, client: false } });
    for (let count = 0; count < 100; count++) await call(sandbox, 'GET', path);
    expect((await call(sandbox, 'GET', path)).status).toBe(429);
    const publicKey = { key: sandbox.credentials.publicKey };
    expect((await call(sandbox, 'GET', path, undefined, publicKey)).status).toBe(200);

    const byClient = sandboxAtStart({ rateLimits: { ip: false, apiKey: false } });
    for (let count = 0; count < 100; count++) await call(byClient, 'GET', path);
    const sameClient = { key: byClient.credentials.publicKey };
    expect((await call(byClient, 'GET', path, undefined, sameClient)).status).toBe(429);
    const other = { clientId: 'client_empty' };
    expect((await call(byClient, 'GET', path, undefined, other)).status).toBe(200);
  });

  test('endpoint: shared across all callers, disabled by default', async () => {
    const sandbox = sandboxAtStart({ rateLimits: { endpoint: 2 } });
    await call(sandbox, 'GET', path);
    await call(sandbox, 'GET', path);
    const other = { clientId: 'client_empty', headers: { 'x-forwarded-for': '198.51.100.7' } };
    expect((await call(sandbox, 'GET', path, undefined, other)).status).toBe(429);
    expect((await call(sandbox, 'GET', '/tv/products?biller=DSTV')).status).toBe(200);
  });

  test('purchases: 20 per minute on the client dimension; a refused one charges nothing and keeps its key', async () => {
    const sandbox = sandboxAtStart({ rateLimits: true });
    for (let count = 0; count < 20; count++) {
      expect((await call(sandbox, 'POST', '/airtime/purchase', airtime(`k${count}`))).status).toBe(202);
    }
    const refused = await call(sandbox, 'POST', '/airtime/purchase', airtime('next'));
    expect([refused.status, refused.body]).toEqual([429, limited(60)]);
    expect(sandbox.transactions).toHaveLength(20);
    expect((await call(sandbox, 'GET', path)).status).toBe(200);
    await sandbox.advance('60s');
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('next'))).status).toBe(202);
  });
});

describe('Constants', () => {
  test.each([
    [100, 2],
    [7500, 150],
    [7500.5, 150],
    [50_000, 150],
    [0.01, 0],
    [33.33, 0.67],
  ])('commission on %d NGN is 2%% up to 150: %d', async (amount, commission) => {
    const sandbox = sandboxAtStart();
    const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { amount })));
    const status = await call(sandbox, 'GET', `/transactions/status?reference=${reference}`);
    expect(status.body).toMatchObject({ data: { commission, commission_received: commission } });
  });
});

describe('Versioning', () => {
  test('3. the older /v1 prefix still resolves', async () => {
    const sandbox = sandboxAtStart();
    const as = { prefix: '/v1' };
    const purchase = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), as);
    expect(purchase.status).toBe(202);
    const path = `/transactions/status?reference=${referenceOf(purchase)}`;
    expect((await call(sandbox, 'GET', path, undefined, as)).status).toBe(200);
  });

  test('4. the catalogues exist only under /api/v1', async () => {
    const sandbox = sandboxAtStart();
    for (const path of [
      '/data/products?biller=MTN',
      '/tv/products?biller=DSTV',
      '/edu/products?biller=WAEC',
    ]) {
      expect((await call(sandbox, 'GET', path, undefined, { prefix: '/v1' })).status).toBe(404);
    }
  });

  test('5. network is an alias of biller in the status response', async () => {
    const sandbox = sandboxAtStart();
    const order = airtime('a', { biller: 'glo' });
    const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', order));
    const status = await call(sandbox, 'GET', `/transactions/status?reference=${reference}`);
    expect(status.body).toMatchObject({ data: { biller: 'GLO', network: 'GLO' } });
  });
});
