import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import {
  type As,
  airtime,
  bought,
  buy,
  call,
  lookUp,
  receiver,
  referenceOf,
  sandboxAtStart,
} from '../support.js';

/** Each rule of the service's interface by its own name, with the expected JSON stated literally. */

const error = (code: string, message: unknown = expect.any(String)) => ({ status: 'error', code, message });
const invalid = (errors: Record<string, unknown>) => ({ ...error('VALIDATION_FAILED'), errors });
/** A body with at least these fields of `data`. */
const accepted = (data: object) => expect.objectContaining({ data: expect.objectContaining(data) });

type Request = [method: string, path: string, body: Record<string, unknown> | undefined, as: As];
type Rule = [rule: string, request: Request, status: number, body?: unknown];

const post = (path: string, body: Record<string, unknown> = {}, as: As = {}): Request => [
  'POST',
  path,
  body,
  as,
];
const get = (path: string, as: As = {}): Request => ['GET', path, undefined, as];
const purchase = (fields: Record<string, unknown> = {}, as: As = {}) =>
  post('/airtime/purchase', airtime('a', fields), as);

/** Compares the response of a fresh sandbox to one request. Only what was accepted is in its books. */
async function holds(_rule: string, request: Request, status: number, body: unknown = expect.anything()) {
  const sandbox = sandboxAtStart();
  const reply = await call(sandbox, ...request);
  expect([reply.status, reply.body]).toEqual([status, body]);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(sandbox.transactions).toHaveLength(status === 202 ? 1 : 0);
  expect(sandbox.wallet().ledger).toHaveLength(status === 202 ? 2 : 1);
}

const products = ['airtime', 'data', 'tv', 'electricity', 'edu'];
const bundle = { biller: 'GLO', recipient: '08051234567', product_code: 'GLO-2.9GB-30D' };
const decoder = { biller: 'DSTV', recipient: '02110144711', product_code: 'DSTV-PADI' };
const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' };
const pin = { biller: 'WAEC', recipient: '08031234567', product_code: 'WAEC-RESULT' };
const key = { idempotency_key: 'a' };
const catalogue = '/data/products?biller=MTN';

describe('Common request vocabulary', () => {
  test.each<Rule>([
    ['client_id is sent in the JSON body for POST', purchase(), 202],
    ['client_id is a query parameter for GET', get(catalogue), 200],
    [
      'a missing client_id is a missing field in a POST',
      purchase({ client_id: undefined }),
      422,
      invalid({ client_id: 'is required: the account identifier issued at registration' }),
    ],
    [
      'a missing client_id is a missing parameter in a GET',
      get(`${catalogue}&client_id=`),
      400,
      error('BAD_REQUEST'),
    ],
    ['biller is case-insensitive: airtime', purchase({ biller: 'mTn' }), 202],
    ['biller is case-insensitive: data', post('/data/purchase', { ...bundle, biller: 'glo', ...key }), 202],
    ['biller is case-insensitive: tv', post('/tv/purchase', { ...decoder, biller: 'dstv', ...key }), 202],
    [
      'biller is case-insensitive: electricity',
      post('/electricity/purchase', { ...meter, biller: 'ikedc', amount: 100, ...key }),
      202,
    ],
    ['biller is case-insensitive: edu', post('/edu/purchase', { ...pin, biller: 'waec', ...key }), 202],
    ['amount is 0.01 at least', purchase({ amount: 0.01 }), 202],
    ...[0, 0.009, -1, '500', null].map(
      (amount): Rule => [
        `amount is not ${amount}`,
        purchase({ amount }),
        422,
        invalid({ amount: expect.any(String) }),
      ],
    ),
    ...[0, 1.5, '2', -1].map(
      (quantity): Rule => [
        `quantity is not ${quantity}`,
        post('/edu/purchase', { ...pin, quantity, ...key }),
        422,
        invalid({ quantity: expect.any(String) }),
      ],
    ),
    ['customer_phone is not required', post('/tv/purchase', { ...decoder, ...key }), 202],
    [
      'customer_phone is recommended',
      post('/tv/purchase', { ...decoder, ...key, customer_phone: '08031234567' }),
      202,
    ],
    ...products.map(
      (product): Rule => [
        `idempotency_key is required: ${product}`,
        post(`/${product}/purchase`),
        422,
        expect.objectContaining({ errors: expect.objectContaining({ idempotency_key: expect.any(String) }) }),
      ],
    ),
    ['fields that are not documented are ignored', purchase({ campaign: 'january' }), 202],
  ])('%s', holds);

  test('quantity defaults to 1, and the charge is price times quantity', async () => {
    const sandbox = sandboxAtStart();
    const one = await call(sandbox, 'POST', '/edu/purchase', { ...pin, ...key });
    const three = await call(sandbox, 'POST', '/edu/purchase', { ...pin, quantity: 3, idempotency_key: 'b' });
    expect([one.body, three.body]).toEqual([accepted({ amount: 3900 }), accepted({ amount: 11_700 })]);
    expect(sandbox.wallet().balance).toBe(100_000 - 3900 - 11_700);
  });
});

describe('Purchase acceptance envelope', () => {
  test.each<Rule>([
    [
      '202 with exactly the documented fields; the reference is the service’s own, not the idempotency_key',
      purchase(),
      202,
      {
        status: 'pending',
        code: 'PROCESSING',
        message: 'Your purchase was accepted and is being processed.',
        data: {
          reference: expect.stringMatching(/^TXN-[0-9A-HJKMNP-TV-Z]{16}$/),
          recipient: '08031234567',
          biller: 'MTN',
          amount: 500,
          channel: 'API_GATEWAY',
          currency: 'NGN',
          created_at: '2026-01-31 09:30:00',
        },
      },
    ],
    [
      'amount is the listed price for catalogue products',
      post('/data/purchase', {
        biller: 'AIRTEL',
        recipient: '08021234567',
        product_code: 'AIRTEL-1GB-1D',
        ...key,
      }),
      202,
      accepted({ amount: 350, biller: 'AIRTEL', recipient: '08021234567' }),
    ],
  ])('%s', holds);
});

describe('Catalogues', () => {
  const billers = {
    data: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
    tv: ['DSTV', 'GOTV', 'STARTIMES'],
    edu: ['WAEC', 'NECO', 'NABTEB', 'JAMB'],
  };
  test.each<Rule>([
    [
      'status, biller, products of product_code, name, amount',
      get('/data/products?biller=9mobile'),
      200,
      {
        status: 'success',
        biller: '9MOBILE',
        products: [
          { product_code: '9MOBILE-100MB-1D', name: '100MB, 1 day', amount: 100 },
          { product_code: '9MOBILE-1.5GB-30D', name: '1.5GB, 30 days', amount: 1000 },
          { product_code: '9MOBILE-4.5GB-30D', name: '4.5GB, 30 days', amount: 2000 },
        ],
      },
    ],
    ...Object.entries(billers).flatMap(([family, names]) => [
      ...names.map(
        (biller): Rule => [
          `every documented biller has a catalogue: ${family} of ${biller}`,
          get(`/${family}/products?biller=${biller}`),
          200,
          {
            status: 'success',
            biller,
            products: expect.arrayContaining([
              { product_code: expect.any(String), name: expect.any(String), amount: expect.any(Number) },
            ]),
          },
        ],
      ),
      [
        `a missing biller is 400 BAD_REQUEST: ${family}`,
        get(`/${family}/products`),
        400,
        error('BAD_REQUEST', 'Required query parameters are missing: biller.'),
      ] satisfies Rule,
    ]),
    [
      'an unconfigured biller is 422 GATEWAY_ERROR',
      get('/data/products?biller=VODACOM'),
      422,
      error('GATEWAY_ERROR', 'This biller is not configured: VODACOM.'),
    ],
  ])('%s', holds);
});

describe('Validate', () => {
  const customer_name = expect.stringMatching(/^[A-Z]+ [A-Z]+$/);
  const unconfirmable = error('VERIFICATION_FAILED');
  test.each<Rule>([
    [
      'tv: status and customer_name',
      post('/tv/validate', decoder),
      200,
      { status: 'success', customer_name },
    ],
    [
      'electricity: status, customer_name and address',
      post('/electricity/validate', { ...meter, meter_type: 'postpaid' }),
      200,
      { status: 'success', customer_name, address: expect.stringMatching(/^\d+ [A-Z ]+$/) },
    ],
    [
      'edu: status and customer_name',
      post('/edu/validate', { biller: 'JAMB', recipient: '0123456789' }),
      200,
      { status: 'success', customer_name },
    ],
    [
      'an unconfirmable recipient is 422 VERIFICATION_FAILED: tv',
      post('/tv/validate', { biller: 'DSTV', recipient: '08000000004' }),
      422,
      unconfirmable,
    ],
    [
      'an unconfirmable recipient is 422 VERIFICATION_FAILED: electricity',
      post('/electricity/validate', { ...meter, recipient: '08000000004' }),
      422,
      unconfirmable,
    ],
    [
      'an unconfirmable recipient is 422 VERIFICATION_FAILED: edu',
      post('/edu/validate', { biller: 'NECO', recipient: '08000000004' }),
      422,
      unconfirmable,
    ],
    [
      'meter_type is prepaid or postpaid',
      post('/electricity/validate', { ...meter, meter_type: 'smart' }),
      422,
      {
        ...error('VALIDATION_FAILED', 'Some fields are missing or invalid.'),
        errors: { meter_type: "must be 'prepaid' or 'postpaid'" },
      },
    ],
  ])('%s', holds);

  test('a recipient has the same name each time', async () => {
    const sandbox = sandboxAtStart();
    const validate = async () => (await call(sandbox, 'POST', '/tv/validate', decoder)).body;
    expect(await validate()).toEqual(await validate());
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
      const order = { ...meter, meter_type, amount: 5000, ...key };
      const reference = referenceOf(await call(sandbox, 'POST', '/electricity/purchase', order));
      await sandbox.settle(reference, 'success');
      const { body } = await lookUp(sandbox, reference);
      expect(body).toMatchObject({ data: { token: expect.stringMatching(/^\d{20}$/) } });
      expect(events).toMatchObject([{ data: { token: sandbox.transaction(reference)?.token } }]);
    },
  );
});

describe('States and transitions', () => {
  /** The body of a look-up of 500 NGN of airtime, but for these fields. */
  const found = (fields: object) => ({
    status: 'success',
    data: {
      reference: expect.any(String),
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
      ...fields,
    },
  });

  test('accepted: pending, and the wallet is debited at once', async () => {
    const sandbox = sandboxAtStart();
    const reference = await bought(sandbox, 'a');
    expect(sandbox.wallet().balance).toBe(99_500);
    const { status, body } = await lookUp(sandbox, reference);
    expect([status, body]).toEqual([200, found({ reference })]);
  });

  test('pending to success: completed_at set, the token there, the debit stands', async () => {
    const sandbox = sandboxAtStart({ settleAfter: '90s' });
    const order = { ...meter, amount: 9000.5, ...key };
    const reply = await call(sandbox, 'POST', '/electricity/purchase', order);
    expect(JSON.stringify(reply.body)).not.toContain('token');
    await sandbox.advance('90s');
    expect((await lookUp(sandbox, referenceOf(reply))).body).toEqual(
      found({
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
        updated_at: '2026-01-31 09:31:30',
        completed_at: '2026-01-31 09:31:30',
      }),
    );
    expect(sandbox.wallet().balance).toBe(90_999.5);
  });

  test('pending to failed: credited back, refunded true, no token', async () => {
    const sandbox = sandboxAtStart();
    const reference = await bought(sandbox, 'a', { recipient: '08000000001' });
    expect(sandbox.wallet().balance).toBe(99_500);
    await sandbox.advance('1s');
    expect(sandbox.wallet().balance).toBe(100_000);
    expect((await lookUp(sandbox, reference)).body).toEqual(
      found({
        reference,
        transaction_status: 'failed',
        commission: 0,
        commission_received: 0,
        updated_at: '2026-01-31 09:30:01',
        refunded: true,
        completed_at: '2026-01-31 09:30:01',
      }),
    );
  });

  test('success and failed are final', async () => {
    const sandbox = sandboxAtStart({ settleAfter: 'manual' });
    for (const outcome of ['success', 'failed'] as const) {
      const reference = await bought(sandbox, outcome);
      await sandbox.settle(reference, outcome);
      await expect(sandbox.settle(reference, 'success')).rejects.toThrow('which is final');
      await expect(sandbox.settle(reference, 'failed')).rejects.toThrow('which is final');
      await sandbox.advance('2d');
      expect(sandbox.transaction(reference)?.status).toBe(outcome);
    }
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  test.each<Rule>([
    ['rejected without a charge', purchase({ amount: 100_000.01 }), 402, error('INSUFFICIENT_BALANCE')],
    ['rejected without a charge', purchase({ recipient: '08000000003' }), 503, error('PROVIDER_UNAVAILABLE')],
    ['rejected without a charge', purchase({ recipient: '08000000009' }), 503, error('QUEUE_UNAVAILABLE')],
  ])('%s: %j', holds);

  const serial = 'Serial No:WRN\\d{9}, pin: \\d{12}';
  test.each<[string, Record<string, unknown>, unknown]>([
    ['/airtime/purchase', { biller: 'MTN', recipient: '0803', amount: 50 }, null],
    ['/data/purchase', bundle, null],
    ['/tv/purchase', decoder, null],
    ['/electricity/purchase', { ...meter, meter_type: 'postpaid', amount: 50 }, /^\d{20}$/],
    ['/electricity/purchase', { ...meter, amount: 50 }, /^\d{20}$/],
    ['/edu/purchase', { ...pin, quantity: 2 }, new RegExp(`^${serial}\\|\\|${serial}$`)],
    ['/edu/purchase', { biller: 'JAMB', recipient: '08', product_code: 'JAMB-UTME' }, /^\d{16}$/],
  ])('the token, of electricity and education only: %s %j', async (path, order, token) => {
    const sandbox = sandboxAtStart({ settleAfter: 0 });
    await call(sandbox, 'POST', path, { ...order, ...key });
    await sandbox.advance(0);
    expect(sandbox.transactions[0]?.token).toEqual(
      token instanceof RegExp ? expect.stringMatching(token) : token,
    );
  });
});

describe('Transaction status', () => {
  test('a reference of another client is 404 and reveals nothing', async () => {
    const sandbox = sandboxAtStart();
    const foreign = await lookUp(sandbox, await bought(sandbox, 'a'), { clientId: 'client_empty' });
    const unknown = await lookUp(sandbox, 'TXN-NONE');
    const nothing = error('NOT_FOUND', 'There is no transaction with this reference.');
    expect([foreign.status, foreign.body]).toEqual([404, nothing]);
    expect([unknown.status, unknown.body]).toEqual([404, nothing]);
  });

  test.each<Rule>([
    [
      'a missing reference is 400',
      get('/transactions/status'),
      400,
      error('BAD_REQUEST', 'Required query parameters are missing: reference.'),
    ],
    [
      'a public key is refused',
      get('/transactions/status?reference=TXN-1', { key: 'public' }),
      403,
      error('GATEWAY_ERROR'),
    ],
  ])('%s', holds);
});

describe('Webhook subscription', () => {
  const url = 'https://shop.example/hooks';
  const path = `https://shop.example/${'x'.repeat(2048 - 'https://shop.example/'.length)}`;
  const secret = expect.stringMatching(/^whsec_[a-z0-9]{32}$/);
  test.each<Rule>([
    [
      'url, one-time secret, enabled, signature_version',
      post('/webhooks/subscribe', { url }),
      200,
      { status: 'success', data: { url, secret, enabled: true, signature_version: 'v1' } },
    ],
    [
      'enabled may be false',
      post('/webhooks/subscribe', { url, enabled: false }),
      200,
      accepted({ enabled: false }),
    ],
    ['the url has at most 2048 characters', post('/webhooks/subscribe', { url: path }), 200],
    ...[`${path}x`, 'http://shop.example/', 'ftp://shop.example', 'shop', '', 7, undefined].map(
      (wrong): Rule => [
        `the url is https, of at most 2048 characters, not ${String(wrong).slice(0, 30)}`,
        post('/webhooks/subscribe', { url: wrong }),
        422,
        invalid({ url: expect.any(String) }),
      ],
    ),
    [
      'a public key is refused',
      post('/webhooks/subscribe', { url }, { key: 'public' }),
      403,
      error('GATEWAY_ERROR', 'This endpoint needs a Secret Key.'),
    ],
  ])('%s', holds);
});

describe('Idempotency rules', () => {
  test('1. a reused key returns the original transaction and does not charge again', async () => {
    const sandbox = sandboxAtStart();
    const first = await buy(sandbox, 'a');
    const repeats = [
      await buy(sandbox, 'a'),
      await buy(sandbox, 'a', { amount: 9, recipient: '0805', biller: 'GLO' }),
      await call(sandbox, 'POST', '/data/purchase', { ...bundle, product_code: 'NO-SUCH', ...key }),
    ];
    for (const reply of repeats) expect([reply.status, reply.body]).toEqual([202, first.body]);
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  test('1. also once settled, and with a wallet that is empty by then', async () => {
    const sandbox = sandboxAtStart({ balance: 500 });
    const first = await buy(sandbox, 'a');
    expect(sandbox.wallet().balance).toBe(0);
    await sandbox.advance('1h');
    const again = await buy(sandbox, 'a');
    expect([again.status, again.body]).toEqual([202, first.body]);
  });

  test('2. a different key is always a new attempt', async () => {
    const sandbox = sandboxAtStart();
    expect(await bought(sandbox, 'a')).not.toBe(await bought(sandbox, 'b'));
    expect(sandbox.wallet().balance).toBe(99_000);
  });

  test('3. while a request with the key is in flight, a repeat is 409 ALREADY_PROCESSING', async () => {
    const sandbox = sandboxAtStart();
    const slow = { recipient: '08000000006' };
    const sent = buy(sandbox, 'a', slow);
    const repeat = await buy(sandbox, 'a', slow);
    expect([repeat.status, repeat.body]).toEqual([
      409,
      error('ALREADY_PROCESSING', 'A request with this idempotency_key is still in flight.'),
    ]);
    await sandbox.advance('3s');
    const first = await sent;
    expect(first.status).toBe(202);
    const later = await buy(sandbox, 'a', slow);
    expect([later.status, later.body]).toEqual([202, first.body]);
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  test('4. a request that failed with 402, 422 or 503 has not used its key', async () => {
    const sandbox = sandboxAtStart({ balance: 100 });
    for (const fields of [
      {},
      { amount: 'x' },
      { biller: 'NONE', amount: 1 },
      { recipient: '08000000003', amount: 1 },
    ]) {
      expect((await buy(sandbox, 'a', fields)).status).toBeGreaterThanOrEqual(400);
    }
    const reply = await buy(sandbox, 'a', { amount: 100 });
    expect([reply.status, sandbox.wallet().balance]).toEqual([202, 0]);
  });

  test.each([
    ['08000000007', 500],
    ['08000000008', 502],
  ])('4. the same key gives the one transaction after the error of %s: %d', async (recipient, status) => {
    const sandbox = sandboxAtStart();
    expect((await buy(sandbox, 'a', { recipient })).status).toBe(status);
    expect((await buy(sandbox, 'a', { recipient })).status).toBe(202);
    expect(sandbox.transactions).toHaveLength(1);
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  test('keys belong to their client', async () => {
    const sandbox = sandboxAtStart({ clients: [{ clientId: 'one' }, { clientId: 'two' }] });
    const one = await buy(sandbox, 'a');
    const two = await buy(sandbox, 'a', {}, { clientId: 'two' });
    expect(referenceOf(two)).not.toBe(referenceOf(one));
    expect([sandbox.wallet('one').balance, sandbox.wallet('two').balance]).toEqual([99_500, 99_500]);
  });
});

describe('Authentication', () => {
  const unauthorized = error('UNAUTHORIZED', 'The API key is missing, malformed, invalid or suspended.');
  const bearer = (authorization: string) => ({ key: undefined, headers: { authorization } });
  const allowed = '203.0.113.10, 10.0.0.1';
  const anyone = { biller: 'NECO', recipient: '1' };

  test.each<Rule>([
    ['5. a missing bearer token is 401', get(catalogue, { key: undefined }), 401, unauthorized],
    ...['Basic c2hvcDpzZWNyZXQ=', 'Bearer', 'Bearer sk_one sk_two', 'Bearer sk_live_ofLive'].map(
      (token): Rule => [
        `5. a malformed or invalid bearer token is 401: ${token}`,
        get(catalogue, bearer(token)),
        401,
        unauthorized,
      ],
    ),
    ['5. a suspended key is 401', get(catalogue, { clientId: 'client_suspended' }), 401, unauthorized],
    ...['client_empty', 'nobody'].flatMap((client_id): Rule[] => [
      [`2. client_id must match the key: ${client_id}`, purchase({ client_id }), 403, error('GATEWAY_ERROR')],
      [
        `2. client_id must match the key in a GET: ${client_id}`,
        get(`${catalogue}&client_id=${client_id}`),
        403,
        error('GATEWAY_ERROR'),
      ],
    ]),
    ...['/data/products?biller=MTN', '/tv/products?biller=DSTV', '/edu/products?biller=WAEC'].map(
      (path): Rule => [`3. a public key may call ${path}`, get(path, { key: 'public' }), 200],
    ),
    ['3. a public key may validate: tv', post('/tv/validate', decoder, { key: 'public' }), 200],
    ['3. a public key may validate: edu', post('/edu/validate', anyone, { key: 'public' }), 200],
    ['3. a public key may validate: meters', post('/electricity/validate', meter, { key: 'public' }), 200],
    ...products.map(
      (product): Rule => [
        `4. a public key on a purchase is 403 GATEWAY_ERROR, and nothing happens: ${product}`,
        post(`/${product}/purchase`, airtime('a'), { key: 'public' }),
        403,
        error('GATEWAY_ERROR'),
      ],
    ),
    [
      '8. other addresses than those of the IP allow-list get the same 401 as an invalid key',
      get(catalogue, { clientId: 'client_allowlisted' }),
      401,
      unauthorized,
    ],
    [
      '8. those of the IP allow-list are served',
      get(catalogue, { clientId: 'client_allowlisted', headers: { 'x-forwarded-for': allowed } }),
      200,
    ],
    [
      '9. an account not in good standing: ACCOUNT_RESTRICTED on purchases',
      purchase({}, { clientId: 'client_unverified' }),
      403,
      error('ACCOUNT_RESTRICTED', 'This account is not permitted to transact.'),
    ],
    ['9. its catalogues work', get(catalogue, { clientId: 'client_unverified' }), 200],
    [
      '9. its look-ups work',
      get('/transactions/status?reference=TXN-1', { clientId: 'client_unverified' }),
      404,
    ],
  ])('%s', holds);

  test('7. rotation: the old secret stops working; client_id and public key stay', async () => {
    const sandbox = sandboxAtStart();
    const { clientId, secretKey, publicKey } = sandbox.credentials;
    const fresh = sandbox.client().rotateSecretKey();
    expect(fresh).not.toBe(secretKey);
    expect(sandbox.credentials).toEqual({ clientId, secretKey: fresh, publicKey });
    const statuses = [secretKey, fresh, publicKey].map(
      async (key) => (await call(sandbox, ...get(catalogue, { key }))).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  test('7. revocation disables a key at once, without a replacement', async () => {
    const sandbox = sandboxAtStart();
    const { secretKey, publicKey } = sandbox.credentials;
    const statusWith = async (key: string) => (await call(sandbox, ...get(catalogue, { key }))).status;
    sandbox.client().revokeKey('secret');
    expect([await statusWith(secretKey), await statusWith(publicKey)]).toEqual([401, 200]);
    sandbox.client().revokeKey('public');
    expect(await statusWith(publicKey)).toBe(401);
  });

  test('8. and 9. end when the list is emptied, and when the account is verified', async () => {
    const sandbox = sandboxAtStart();
    sandbox.client('client_allowlisted').update({ allowedIps: [] });
    sandbox.client('client_unverified').update({ verified: true });
    const listed = await call(sandbox, ...get(catalogue, { clientId: 'client_allowlisted' }));
    const verified = await buy(sandbox, 'a', {}, { clientId: 'client_unverified' });
    expect([listed.status, verified.status]).toEqual([200, 202]);
  });
});

describe('Events', () => {
  const subscribe = async (sandbox: Sandbox, fields: object = {}) => {
    const hook = await receiver();
    const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url, ...fields });
    return { hook, secret: /whsec_\w+/.exec(JSON.stringify(reply.body))?.[0] ?? '' };
  };

  test('transaction.completed: compact JSON, five headers, a valid signature', async () => {
    const sandbox = sandboxAtStart();
    const { hook, secret } = await subscribe(sandbox);
    const order = { ...meter, biller: 'EKEDC', amount: 2500, ...key };
    const reply = await call(sandbox, 'POST', '/electricity/purchase', order);
    await sandbox.advance('1s');
    expect(hook.received).toHaveLength(1);
    const { headers, body } = hook.received[0]!;
    const token = sandbox.transactions[0]?.token;
    expect(token).toMatch(/^\d{20}$/);
    expect(body).toBe(
      `{"event":"transaction.completed","timestamp":"2026-01-31T09:30:01Z","signature_version":"v1","data":{"reference":"${referenceOf(reply)}","status":"success","service_type":"ELECTRICITY","amount":2500,"token":"${token}","completed_at":"2026-01-31T09:30:01Z","metadata":{}}}`,
    );
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-timestamp': '1769851801',
      'x-service-event': 'transaction.completed',
      'x-service-delivery-id': expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      'x-service-signature': createHmac('sha256', secret).update(`1769851801.${body}`).digest('hex'),
    });
  });

  test('transaction.failed fires when the refund has already happened', async () => {
    const sandbox = sandboxAtStart();
    const { hook } = await subscribe(sandbox);
    const seen: unknown[] = [];
    sandbox.onActivity((activity) => {
      if (activity.type === 'delivery') seen.push(sandbox.wallet().balance);
    });
    const reference = await bought(sandbox, 'a', { recipient: '08000000001' });
    await sandbox.advance('1s');
    expect(JSON.parse(hook.received[0]?.body ?? '')).toEqual({
      event: 'transaction.failed',
      timestamp: '2026-01-31T09:30:01Z',
      signature_version: 'v1',
      data: {
        reference,
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
    const { hook } = await subscribe(sandbox);
    const order = { biller: 'NECO', recipient: '0123456789', product_code: 'NECO-RESULT', ...key };
    await call(sandbox, 'POST', '/edu/purchase', order);
    await sandbox.advance('1s');
    expect(JSON.parse(hook.received[0]?.body ?? '')).toMatchObject({ data: { token: null, amount: 1100 } });
    expect(sandbox.transactions[0]?.token).toMatch(/^\d{12}$/);
  });

  test.each([500, 404, 302, 'nothing'] as const)(
    '4. any response other than a prompt 2xx counts as failed: %s',
    async (status) => {
      // A slow machine gets time for the other responses.
      const sandbox = sandboxAtStart(status === 'nothing' ? { webhookTimeout: 500 } : {});
      const { hook } = await subscribe(sandbox);
      if (status === 'nothing') hook.state.hang = true;
      else hook.state.status = status;
      await buy(sandbox, 'a');
      await sandbox.advance('1s');
      expect(sandbox.deliveries[0]?.attempts[0]).toMatchObject({
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
    const { hook } = await subscribe(sandbox);
    hook.state.status = 503;
    await buy(sandbox, 'a');
    const delays = ['1s', '1m', '5m', '15m', '30m', '1h', '6h', '24h'] as const;
    for (const [at, delay] of delays.entries()) {
      await sandbox.advance(delay);
      expect(hook.received).toHaveLength(at + 1);
    }
    expect(sandbox.deliveries[0]).toMatchObject({ state: 'failed', nextAttemptAt: undefined });
    await sandbox.advance('30d');
    expect(hook.received).toHaveLength(8);
    expect(new Set(hook.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(1);
    expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
  });

  test('5. 31 hours of retries pass in one step, in order', async () => {
    const sandbox = sandboxAtStart();
    const { hook } = await subscribe(sandbox);
    hook.state.status = 500;
    await buy(sandbox, 'a');
    await sandbox.advance('32h');
    expect(sandbox.deliveries[0]?.attempts.map(({ at }) => at.toISOString().slice(0, 19))).toEqual([
      '2026-01-31T09:30:01',
      '2026-01-31T09:31:01',
      '2026-01-31T09:36:01',
      '2026-01-31T09:51:01',
      '2026-01-31T10:21:01',
      '2026-01-31T11:21:01',
      '2026-01-31T17:21:01',
      '2026-02-01T17:21:01',
    ]);
  });

  test('5. a retry that is taken ends the retries', async () => {
    const sandbox = sandboxAtStart();
    const { hook } = await subscribe(sandbox);
    hook.state.status = 500;
    await buy(sandbox, 'a');
    await sandbox.advance('1s');
    hook.state.status = 204;
    await sandbox.advance('1m');
    expect(sandbox.deliveries[0]).toMatchObject({ state: 'delivered', nextAttemptAt: undefined });
    await sandbox.advance('30d');
    expect(hook.received).toHaveLength(2);
  });

  test('a subscription that is not enabled gets nothing', async () => {
    const sandbox = sandboxAtStart();
    const { hook } = await subscribe(sandbox, { enabled: false });
    await buy(sandbox, 'a');
    await sandbox.advance('1h');
    expect([hook.received, sandbox.deliveries]).toEqual([[], []]);
  });
});

describe('Errors', () => {
  test.each<Rule>([
    ['404 where there is no endpoint', get('/nothing'), 404, error('NOT_FOUND')],
    [
      '422 VALIDATION_FAILED names each field at once',
      post('/electricity/purchase', { recipient: true }),
      422,
      {
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
      },
    ],
    [
      '422 AMOUNT_MISMATCH when the amount sent differs from the listed price',
      post('/tv/purchase', { ...decoder, amount: 4400.01, ...key }),
      422,
      error('AMOUNT_MISMATCH', 'The listed price of DSTV-PADI is 4400 NGN.'),
    ],
    [
      'the amount may be sent when it is the listed price',
      post('/tv/purchase', { ...decoder, amount: 4400, ...key }),
      202,
      accepted({ amount: 4400 }),
    ],
    [
      '422 GATEWAY_ERROR for an unknown product_code',
      post('/data/purchase', { ...bundle, biller: 'MTN', ...key }),
      422,
      error('GATEWAY_ERROR', 'Unknown product_code for this biller: GLO-2.9GB-30D.'),
    ],
    [
      '422 GATEWAY_ERROR for an unconfigured biller',
      purchase({ biller: 'DSTV' }),
      422,
      error('GATEWAY_ERROR'),
    ],
    [
      '422 GATEWAY_ERROR for an unconfigured biller of meters',
      post('/electricity/validate', { ...meter, biller: 'ENUGU' }),
      422,
      error('GATEWAY_ERROR'),
    ],
  ])('%s', holds);

  test.each([
    ['GET', '/airtime/purchase', 'POST'],
    ['GET', '/tv/validate', 'POST'],
    ['POST', '/data/products', 'GET'],
    ['DELETE', '/transactions/status', 'GET'],
    ['PUT', '/webhooks/subscribe', 'POST'],
  ])('405 METHOD_NOT_ALLOWED with Allow: %s %s', async (method, path, allow) => {
    const body = method === 'GET' ? undefined : {};
    const reply = await call(sandboxAtStart(), method, path, body, { key: undefined });
    expect([reply.status, reply.headers.get('allow'), reply.body]).toEqual([
      405,
      allow,
      error('METHOD_NOT_ALLOWED', `This endpoint takes ${allow} only.`),
    ]);
  });

  test('402 INSUFFICIENT_BALANCE to the kobo', async () => {
    const sandbox = sandboxAtStart({ balance: 500.01 });
    const over = await buy(sandbox, 'a', { amount: 500.02 });
    expect([over.status, over.body]).toEqual([402, error('INSUFFICIENT_BALANCE')]);
    const exact = await buy(sandbox, 'a', { amount: 500.01 });
    expect([exact.status, sandbox.wallet().balance]).toEqual([202, 0]);
  });

  test.each(['{"client_id":', '[]', '"text"', '7'])(
    '400 BAD_REQUEST for a body that is no JSON object: %s',
    async (body) => {
      const sandbox = sandboxAtStart();
      const headers = { authorization: `Bearer ${sandbox.credentials.secretKey}` };
      const url = 'https://service.example/api/v1/airtime/purchase';
      const response = await sandbox.fetch(url, { method: 'POST', headers, body });
      expect([response.status, await response.json()]).toEqual([400, error('BAD_REQUEST')]);
    },
  );

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
    ...error('RATE_LIMITED', `Too many requests. Retry after ${seconds} seconds.`),
    retry_after_seconds: seconds,
  });
  /** The statuses of so many look-ups of a catalogue. */
  const statuses = async (sandbox: Sandbox, count: number, as: As = {}) => {
    const seen = new Set<number>();
    for (let at = 0; at < count; at++) seen.add((await call(sandbox, ...get(catalogue, as))).status);
    return [...seen];
  };
  const elsewhere = { headers: { 'x-forwarded-for': '198.51.100.7' } };

  test('off by default', async () => {
    expect(await statuses(sandboxAtStart(), 150)).toEqual([200]);
  });

  test('ip: 60 requests per 60 seconds, with Retry-After', async () => {
    const sandbox = sandboxAtStart({ rateLimits: true });
    expect(await statuses(sandbox, 60)).toEqual([200]);
    await sandbox.advance('18s');
    const reply = await call(sandbox, ...get(catalogue));
    expect([reply.status, reply.headers.get('retry-after'), reply.body]).toEqual([429, '42', limited(42)]);
    expect(await statuses(sandbox, 1, elsewhere)).toEqual([200]);
    await sandbox.advance('42s');
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });

  test('api_key and client: 100 requests per 60 seconds', async () => {
    const sandbox = sandboxAtStart({ rateLimits: { ip: false, client: false } });
    expect(await statuses(sandbox, 100)).toEqual([200]);
    expect(await statuses(sandbox, 1)).toEqual([429]);
    expect(await statuses(sandbox, 1, { key: 'public' })).toEqual([200]);

    const byClient = sandboxAtStart({ rateLimits: { ip: false, apiKey: false } });
    expect(await statuses(byClient, 100)).toEqual([200]);
    expect(await statuses(byClient, 1, { key: 'public' })).toEqual([429]);
    expect(await statuses(byClient, 1, { clientId: 'client_empty' })).toEqual([200]);
  });

  test('endpoint: shared across all callers, disabled by default', async () => {
    const sandbox = sandboxAtStart({ rateLimits: { endpoint: 2 } });
    expect(await statuses(sandbox, 2)).toEqual([200]);
    expect(await statuses(sandbox, 1, { clientId: 'client_empty', ...elsewhere })).toEqual([429]);
    expect((await call(sandbox, 'GET', '/tv/products?biller=DSTV')).status).toBe(200);
  });

  test('purchases: 20 per minute on the client dimension; a refused one charges nothing and keeps its key', async () => {
    const sandbox = sandboxAtStart({ rateLimits: true });
    for (let count = 0; count < 20; count++) {
      expect((await buy(sandbox, `k${count}`)).status).toBe(202);
    }
    const refused = await buy(sandbox, 'next');
    expect([refused.status, refused.body]).toEqual([429, limited(60)]);
    expect(sandbox.transactions).toHaveLength(20);
    expect(await statuses(sandbox, 1)).toEqual([200]);
    await sandbox.advance('60s');
    expect((await buy(sandbox, 'next')).status).toBe(202);
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
    const { body } = await lookUp(sandbox, await bought(sandbox, 'a', { amount }));
    expect(body).toMatchObject({ data: { commission, commission_received: commission } });
  });
});

describe('Versioning', () => {
  const older = { prefix: '/v1' };

  test('3. the older /v1 prefix still resolves', async () => {
    const sandbox = sandboxAtStart();
    const bought = await buy(sandbox, 'a', {}, older);
    expect(bought.status).toBe(202);
    expect((await lookUp(sandbox, referenceOf(bought), older)).status).toBe(200);
  });

  test.each<Rule>(
    ['/data/products?biller=MTN', '/tv/products?biller=DSTV', '/edu/products?biller=WAEC'].map((path) => [
      `4. the catalogues exist only under /api/v1: ${path}`,
      get(path, older),
      404,
    ]),
  )('%s', holds);

  test('5. network is an alias of biller in the status response', async () => {
    const sandbox = sandboxAtStart();
    const { body } = await lookUp(sandbox, await bought(sandbox, 'a', { biller: 'glo' }));
    expect(body).toMatchObject({ data: { biller: 'GLO', network: 'GLO' } });
  });
});
