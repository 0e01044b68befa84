import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { errorResponses } from '../../src/errors/error-responses.js';
import * as billpayModule from '../../src/index.js';
import { ApiError, type BillPay, type CallOptions, createPacer, type Transport } from '../../src/index.js';
import { rows } from '../http/attempts.js';
import { refusal } from '../support/envelopes.js';
import { clientOf, type Reply, rejectionOf, useWire } from '../support/wire.js';

const wire = useWire();
const exported: Readonly<Record<string, unknown>> = { ...billpayModule };

const asked = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-77' };
const purchase = (billpay: BillPay) => billpay.airtime.purchase(asked);

/** What a message says where money may have moved: what may have happened, and under which key to retry. */
const charged =
  /The wallet may have been debited: the purchase is unknown, not failed\. Retry with idempotency_key 'order-77' and the same parameters/;

/** What a message adds to a response that is not the service's own, or not one that it documents. */
const foreign =
  '; the response did not come from the service but from something in between, such as a proxy or a firewall';
const undocumented = '; the service does not document this combination of status and code';

const keep = /Call again later\. Keep idempotency_key 'order-77'\./;

/** What a message advises beside what the money asks for. The class and the doubt of each are in test/http/attempts.ts. */
const remedies: readonly [status: number, code: string, remedy: RegExp][] = [
  [
    401,
    'UNAUTHORIZED',
    /the secret key of the option apiKey, for client_id client-041, .+ this environment\. .+IP allow-list/,
  ],
  [402, 'INSUFFICIENT_BALANCE', /Fund the wallet.+ Keep .+ 'order-77'\./],
  [
    403,
    'GATEWAY_ERROR',
    /Check that client_id client-041 .+ belongs to the secret key of the option apiKey, .+ a secret key/,
  ],
  [403, 'ACCOUNT_RESTRICTED', /not verified .+; read-only calls still work/],
  [409, 'ALREADY_PROCESSING', /still in flight: call again shortly/],
  [422, 'AMOUNT_MISMATCH', /price has changed: fetch the catalogue again/],
  [422, 'VERIFICATION_FAILED', /check the number with your customer/],
  [422, 'GATEWAY_ERROR', /the biller: airtime has MTN, AIRTEL, GLO, 9MOBILE/],
  [429, 'RATE_LIMITED', /Wait before the next call\./],
  [503, 'PROVIDER_UNAVAILABLE', keep],
  [503, 'QUEUE_UNAVAILABLE', keep],
  // The service's envelope with what it does not document.
  [404, 'NOT_FOUND', /Check baseUrl \(https:\/\/pay\.example\/api\/v1\)\./],
  [403, 'ELSE', /Check that client_id/],
  [401, 'ELSE', /the secret key of the option apiKey/],
  [418, 'TEAPOT', /\.$/],
];

it.each(remedies)(
  '%i %s says what happened, what of the money and what to do',
  async (status, code, remedy) => {
    const body = { status: 'error', code, message: 'what the service says', extra: 1 };
    wire.respond('airtime.purchase', { status, body, headers: { 'X-Request-Id': 'r-9' } });
    wire.respond('transactions.status', { status, body });
    const error = await rejectionOf(purchase(clientOf()));
    if (!(error instanceof ApiError)) throw error;
    const operation = 'airtime.purchase';
    expect(error).toMatchObject({ code, status, body, operation, attempts: 1, idempotencyKey: 'order-77' });
    const origin = ['NOT_FOUND', 'ELSE', 'TEAPOT'].includes(code) ? undocumented : '';
    const happened = `airtime.purchase failed with ${status} ${code} (what the service says)${origin}. `;
    expect(error.message.startsWith(happened)).toBe(true);
    expect(error.message).toMatch(error.mayHaveCharged ? charged : /\. This call charged nothing\./);
    expect(error.message).toMatch(remedy);
    expect(error.headers?.get('x-request-id')).toBe('r-9');

    const read = await rejectionOf(clientOf().transactions.status('TXN-1'));
    expect(read).toMatchObject({ name: error.name, mayHaveCharged: false, idempotencyKey: undefined });
    expect(String(read)).not.toMatch(/charged|debited|idempotency_key '/);
  },
);

it.each([
  ['a page', '<html><body>Bad gateway</body></html>', foreign],
  ['nothing', '', foreign],
  ['JSON of another kind', { error: { code: 'BAD_REQUEST' }, code: 7, message: { text: 'x' } }, foreign],
  ['a code that is no text', { status: 'error', code: 7, message: 'x' }, foreign],
  ['an empty code', { status: 'error', code: '', message: '' }, undocumented],
  ['JSON that is no object', [1], foreign],
  ['cut JSON', '{"status":"error","code":"QUEUE_UNAVA', foreign],
])('a 422 with %s has no code, and leaves a purchase in doubt', async (_, body, origin) => {
  wire.respond('airtime.purchase', {
    status: 422,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const error = await rejectionOf(purchase(clientOf()));
  expect(error).toMatchObject({ name: 'ApiError', code: undefined, body, mayHaveCharged: true });
  expect(error).toMatchObject({ message: expect.stringMatching(charged) });
  expect(error).toMatchObject({ message: expect.stringContaining(origin) });
});

it('every documented status and code, and every class of a response, has a row in the table of endings', () => {
  const classes = Object.entries(exported).flatMap(([name, value]) =>
    typeof value === 'function' && value.prototype instanceof ApiError ? [name] : [],
  );
  const named = rows.map(([, , name]) => name);
  for (const name of [...classes, 'ApiError']) expect(named).toContain(name);
  const said = rows.map(([what]) => what).join('\n');
  for (const row of errorResponses) {
    expect(said).toMatch(new RegExp(`^${row.status}\\b`, 'm'));
    const isOnly = errorResponses.every((other) => other === row || other.status !== row.status);
    if (!isOnly && 'code' in row) expect(said).toContain(row.code.split('_')[0]);
  }
});

describe('what only some errors carry', () => {
  it('ValidationError: errors, field by field, in the message too', async () => {
    const errors = { recipient: 'is not a phone number', amount: 'is too large' };
    wire.respond('airtime.purchase', {
      status: 422,
      body: { status: 'error', code: 'VALIDATION_FAILED', message: 'Invalid', errors },
    });
    expect(await rejectionOf(purchase(clientOf()))).toMatchObject({
      errors,
      message:
        'airtime.purchase failed with 422 VALIDATION_FAILED (Invalid). This call charged nothing. recipient: is not a phone number. amount: is too large.',
    });
  });

  it('ValidationError: errors and code as they were sent, whatever is redacted in print', async () => {
    const errors = {
      recipient: 'Meter 0124000952992 is not registered with IKEDC',
      'pin 373820665258': 'The meter number 01240009529921234567 is too long',
    };
    wire.respond('airtime.purchase', {
      status: 422,
      body: { status: 'error', code: 'VALIDATION_FAILED', message: 'No', errors },
    });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toMatchObject({ errors, body: { errors } });
    for (const printed of [inspect(error), JSON.stringify(error), JSON.stringify({ ...Object(error) })]) {
      expect(printed).not.toMatch(/0124000952992|373820665258/);
    }
    expect(error).toMatchObject({ message: expect.stringContaining('Meter [redacted] is not registered') });

    wire.respond('airtime.purchase', {
      status: 418,
      body: { status: 'error', code: 'PIN 373820665258', message: 'No' },
    });
    const other = await rejectionOf(purchase(clientOf()));
    expect(other).toMatchObject({ name: 'ApiError', code: 'PIN 373820665258' });
    for (const printed of [inspect(other), JSON.stringify(other), JSON.stringify({ ...Object(other) })]) {
      expect(printed).not.toContain('373820665258');
    }
  });

  it.each<[unknown, object]>([
    [undefined, {}],
    [null, {}],
    ['amount', {}],
    [['amount is too large'], { 0: 'amount is too large' }],
    [{ amount: ['is too large', 'is odd'] }, { amount: 'is too large; is odd' }],
    [{ amount: ['is odd', 5] }, { amount: '["is odd",5]' }],
    [{ amount: { max: 5 } }, { amount: '{"max":5}' }],
    [{ amount: { toString: 1, valueOf: 2 } }, { amount: '{"toString":1,"valueOf":2}' }],
    [
      { amount: null, recipient: 7 },
      { amount: 'null', recipient: '7' },
    ],
    [JSON.parse('{"__proto__":"no"}'), JSON.parse('{"__proto__":"no"}')],
  ])('ValidationError: errors %j are %j', async (errors, expected) => {
    wire.respond('airtime.purchase', { status: 422, body: refusal('VALIDATION_FAILED', { errors }) });
    const error = await rejectionOf(purchase(clientOf()));
    expect(Object.entries((error as billpayModule.ValidationError).errors)).toEqual(Object.entries(expected));
  });

  it('ValidationError: all errors, and the first 20 in the message', async () => {
    const errors = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`field-${n + 1}`, 'is wrong']));
    wire.respond('airtime.purchase', { status: 422, body: refusal('VALIDATION_FAILED', { errors }) });
    const message = expect.stringMatching(/ field-1: .+ field-20: is wrong\.$/);
    expect(await rejectionOf(purchase(clientOf()))).toMatchObject({ errors, message });
  });

  it('ValidationError: errors nested deeper than a stack can follow', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    wire.respond('airtime.purchase', {
      status: 422,
      body: `{"code":"VALIDATION_FAILED","errors":{"amount":${deep}}}`,
    });
    expect(await rejectionOf(purchase(clientOf()))).toMatchObject({
      name: 'ValidationError',
      errors: { amount: '[…]' },
    });
  });

  it.each([
    [undefined, [], 'not stated'],
    ['', [], ''],
    ['POST', ['POST'], 'POST'],
    ['get, post ,, PUT', ['GET', 'POST', 'PUT'], 'get, post ,, PUT'],
  ])('MethodNotAllowedError: allow from %j', async (allow, expected, said) => {
    const headers = allow === undefined ? {} : { Allow: allow };
    wire.respond('airtime.purchase', { status: 405, body: { code: 'METHOD_NOT_ALLOWED' }, headers });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toMatchObject({ allow: expected, message: expect.stringContaining(`Allowed: ${said}.`) });
  });

  it('RateLimitError: retryAfterSeconds, in the message too', async () => {
    wire.respond('airtime.purchase', {
      status: 429,
      body: refusal('RATE_LIMITED'),
      headers: { 'Retry-After': '7' },
    });
    expect(await rejectionOf(purchase(clientOf()))).toMatchObject({
      retryAfterSeconds: 7,
      message: expect.stringContaining("Call again after 7 s. Keep idempotency_key 'order-77'."),
    });
  });
});

/** A transport that is certain that no connection was made. */
const failsWith =
  (cause?: object): Transport =>
  async () => ({ kind: 'failure', why: 'connection', mayHaveArrived: false, cause });
const failureOf = (code: string) => Object.assign(new Error('connect'), { code, syscall: 'connect' });
const couldNotConnect = failsWith(failureOf('ECONNREFUSED'));

describe('advice that depends on the call', () => {
  it('a catalogue’s 404 away from /api/v1 says where catalogues are', async () => {
    wire.respond({ method: 'GET', path: '/:product/products' }, { status: 404, body: '' });
    wire.respond('tv.validate', { status: 404, body: '' });
    const old = clientOf({ baseUrl: 'https://pay.example/v1' });
    const message = async (call: PromiseLike<unknown>) => String(await rejectionOf(call));
    const hint = 'Catalogues exist only under /api/v1, and baseUrl is https://pay.example/v1.';
    for (const call of [
      old.data.products({ biller: 'MTN' }),
      old.tv.products({ biller: 'DSTV' }),
      old.edu.products({ biller: 'WAEC' }),
    ]) {
      expect(await message(call)).toMatch(new RegExp(`failed with 404; .+\\. ${hint}$`));
    }
    expect(await message(old.tv.validate({ biller: 'DSTV', recipient: '1' }))).toMatch(
      /failed with 404; .+\. Check baseUrl \(https:\/\/pay\.example\/v1\)\.$/,
    );
    expect(await message(clientOf().data.products({ biller: 'MTN' }))).not.toContain('only under');
  });

  it('a lookup’s 404 tells a key from a reference', async () => {
    wire.respond('transactions.status', {
      status: 404,
      body: { status: 'error', code: 'NOT_FOUND', message: 'No such transaction' },
    });
    expect(String(await rejectionOf(clientOf().transactions.status('order-77')))).toBe(
      'NotFoundError: transactions.status failed with 404 NOT_FOUND (No such transaction). The reference is unknown or belongs to another client; an idempotency_key is not a reference.',
    );
  });

  it('a failed read says when to come back', async () => {
    wire.respond('data.products', {
      status: 502,
      body: { status: 'error', code: 'GATEWAY_ERROR', message: 'no catalogue' },
    });
    expect(String(await rejectionOf(clientOf().data.products({ biller: 'MTN' })))).toBe(
      'ServerError: data.products failed with 502 GATEWAY_ERROR (no catalogue). Call again later.',
    );
  });

  it.each<[unknown, string]>([
    ['  ', ''],
    [' v1.2 is gone. Use v1.3. ', ' (v1.2 is gone. Use v1.3)'],
    ['🙏 Later.', ' (🙏 Later)'],
    [`sk_live_abc123 ${'x'.repeat(2000)}`, ` (sk_[redacted] ${'x'.repeat(285)})`],
  ])('the service’s own words, %j, are short and show no secret', async (message, said) => {
    wire.respond('airtime.purchase', { status: 400, body: { ...refusal('BAD_REQUEST'), message } });
    expect(await rejectionOf(purchase(clientOf()))).toMatchObject({
      message: `airtime.purchase failed with 400 BAD_REQUEST${said}. This call charged nothing.`,
    });
  });

  it('a response that is not the service’s own says so', async () => {
    wire.respond('data.products', { status: 418, body: { message: 'x'.repeat(2000) } });
    const error = await rejectionOf(clientOf().data.products({ biller: 'MTN' }));
    expect(error).toMatchObject({ message: `data.products failed with 418 (${'x'.repeat(300)})${foreign}.` });
  });

  it.each([
    ['https://pay.example/api/v1', 'pay.example:443'],
    ['http://localhost/api/v1', 'localhost:80'],
    ['https://pay.example:8443/api/v1', 'pay.example:8443'],
    ['http://[::1]:4010/api/v1', '[::1]:4010'],
  ])('a connection failure with %s names host, port and cause', async (baseUrl, host) => {
    const cause = Object.assign(new Error('x'), { code: 'ECONNRESET' });
    const broken = clientOf({
      baseUrl,
      fetch: async () => Promise.reject(new TypeError('fetch failed', { cause })),
    });
    expect(await rejectionOf(purchase(broken))).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: expect.stringContaining(
        `received no response: the connection to ${host} broke (ECONNRESET). The wallet`,
      ),
    });
    expect(await rejectionOf(purchase(clientOf({ baseUrl, transport: couldNotConnect })))).toMatchObject({
      message: `airtime.purchase could not connect to ${host} (ECONNREFUSED). This call charged nothing.`,
    });
  });
});

it.each<[string, object | undefined, string]>([
  [
    'with a port that does not speak TLS says what to check',
    failureOf('ERR_SSL_WRONG_VERSION_NUMBER'),
    ' (ERR_SSL_WRONG_VERSION_NUMBER). What listens there does not speak TLS: check the port, or use http:// in baseUrl on a loopback host',
  ],
  ['without a cause names none', undefined, ''],
])('a connection failure %s', async (_, cause, said) => {
  expect(await rejectionOf(purchase(clientOf({ transport: failsWith(cause) })))).toMatchObject({
    message: `airtime.purchase could not connect to pay.example:443${said}. This call charged nothing.`,
  });
});

describe('a subscription that failed', () => {
  const subscribe = (billpay: BillPay, options?: CallOptions) =>
    billpay.webhooks.subscribe({ url: 'https://shop.example/hooks' }, options);
  const lost =
    'If the service carried it out, its one-time secret is lost: subscribe again and use the newest secret.';

  it('says that the secret may be lost, after doubt and after a success that cannot be used', async () => {
    const failures: Reply[] = [500, 502, 504, 408].map((status) => ({ status, body: '' }));
    const unusable: Reply[] = ['', '<html>', '{"status":"success","data":{"url":"x"}}'].map((body) => ({
      body,
    }));
    for (const reply of [...failures, ...unusable]) {
      wire.respond('webhooks.subscribe', reply);
      const error = await rejectionOf(subscribe(clientOf()));
      expect(error).toMatchObject({ mayHaveCharged: false, message: expect.stringContaining(lost) });
    }
  });

  it('says so when no response came', async () => {
    const reset = async () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('socket hang up') }));
    expect(String(await rejectionOf(subscribe(clientOf({ fetch: reset }))))).toBe(
      `ConnectionError: webhooks.subscribe received no response: the connection to pay.example:443 broke (socket hang up). ${lost}`,
    );
  });

  it('says so where a refusal came after an attempt that it may have carried out', async () => {
    const left = [
      Response.json({}, { status: 500 }),
      Response.json(refusal('RATE_LIMITED'), { status: 429 }),
    ];
    const fetch = async () => left.shift() ?? Response.error();
    const error = await rejectionOf(subscribe(clientOf({ fetch, maxRetries: 1, retryDelay: () => 0 })));
    expect(error).toMatchObject({ status: 429, attempts: 2, message: expect.stringContaining(lost) });
  });

  it('says so where it was aborted before such an attempt was repeated', async () => {
    wire.respond('webhooks.subscribe', { status: 500, body: '' });
    const controller = new AbortController();
    const billpay = clientOf({ maxRetries: 1, onAttempt: () => controller.abort() });
    expect(String(await rejectionOf(subscribe(billpay, { signal: controller.signal })))).toBe(
      `AbortError: webhooks.subscribe was aborted by its signal. ${lost}`,
    );
  });

  it('mentions no secret where the service refused: there is none', async () => {
    for (const [status, code] of [
      [400, 'BAD_REQUEST'],
      [401, 'UNAUTHORIZED'],
      [429, 'RATE_LIMITED'],
    ] as const) {
      wire.respond('webhooks.subscribe', { status, body: refusal(code) });
      expect(String(await rejectionOf(subscribe(clientOf())))).not.toContain('secret is lost');
    }
  });

  it('speaks of none either when it could not connect, or was aborted or refused before it was sent', async () => {
    expect(String(await rejectionOf(subscribe(clientOf({ transport: couldNotConnect }))))).toBe(
      'ConnectionError: webhooks.subscribe could not connect to pay.example:443 (ECONNREFUSED).',
    );
    const call = subscribe(clientOf(), { signal: AbortSignal.abort() });
    expect(String(await rejectionOf(call))).toBe('AbortError: webhooks.subscribe was aborted by its signal.');
    const pacing = createPacer();
    pacing.pause(60_000);
    expect(String(await rejectionOf(subscribe(clientOf({ pacing }), { totalTimeout: 500 })))).toBe(
      'RateLimitError: webhooks.subscribe was not sent: at the pace that the rate limits allow it can be sent in 60 s, after its totalTimeout of 500 ms. Call again later, or set a longer totalTimeout.',
    );
  });
});

describe('UnexpectedResponseError', () => {
  it('for a 202 without its reference says what is missing, and is in doubt', async () => {
    wire.respond('airtime.purchase', { status: 202, body: { status: 'pending', data: {} } });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      code: 'UNEXPECTED_RESPONSE',
      status: 202,
      body: { status: 'pending', data: {} },
      headers: expect.any(Headers),
      mayHaveCharged: true,
      message: expect.stringMatching(
        /a 202 response that cannot be used: it has no usable data\.reference\. The wallet/,
      ),
    });
  });

  it('for a read: no word of money', async () => {
    wire.respond('transactions.status', { status: 200, body: '{}' });
    const error = await rejectionOf(clientOf().transactions.status('TXN-1'));
    expect(String(error)).toMatch(/cannot be used: it has no usable data\.$/);
  });
});
