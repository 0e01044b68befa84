import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { errorCodes } from '../../src/contract/vocabulary.js';
import * as billpayModule from '../../src/index.js';
import {
  ApiError,
  type BillPay,
  BillPayError,
  type BillPayOptions,
  isBillPayError,
  type Transport,
} from '../../src/index.js';
import { clientOf, rejectionOf, useWire } from '../support/wire.js';

const wire = useWire();
const exported: Readonly<Record<string, unknown>> = { ...billpayModule };

const asked = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-77' };
const purchase = (billpay: BillPay) => billpay.airtime.purchase(asked);

const charged =
  "The wallet may have been debited: the sale is unknown, not failed. Retry with idempotency_key 'order-77' and the same parameters; the service then returns the original and charges at most once.";
const unlisted =
  'Check that clientId is registered and belongs to apiKey, and that apiKey is a secret key where one is needed.';
const key401 =
  'Check apiKey and that it belongs to this environment; a request from an address outside the key’s IP allow-list fails in the same way.';

/** What a message adds to a response that is not the service's own, or not one that it documents. */
const foreign =
  '; the response did not come from the service but from something in between, such as a proxy or a firewall';
const undocumented = '; the service does not document this combination of status and code';
const isDocumented = (status: number, code: string | undefined) =>
  Object.entries(errorCodes).some(
    ([known, codes]) => Number(known) === status && codes.some((one) => one === code),
  );

type Name = keyof typeof billpayModule;

/** The error table of the design, and the fine print under it: what may have been charged, and what to do beside what the money asks for. */
const rows: readonly [status: number, code: string, name: Name, mayHaveCharged: boolean, advice?: string][] =
  [
    [400, 'BAD_REQUEST', 'BadRequestError', false],
    [401, 'UNAUTHORIZED', 'AuthenticationError', false, key401],
    [
      402,
      'INSUFFICIENT_BALANCE',
      'InsufficientBalanceError',
      false,
      "Fund the wallet, then call again. Keep idempotency_key 'order-77'.",
    ],
    [403, 'GATEWAY_ERROR', 'PermissionError', false, unlisted],
    [
      403,
      'ACCOUNT_RESTRICTED',
      'AccountRestrictedError',
      false,
      'The account is not verified or not in good standing; read-only calls still work.',
    ],
    [404, 'NOT_FOUND', 'NotFoundError', true, 'Check baseUrl (https://pay.example/api/v1).'],
    [405, 'METHOD_NOT_ALLOWED', 'MethodNotAllowedError', false, 'Allowed: not stated.'],
    [
      409,
      'ALREADY_PROCESSING',
      'AlreadyProcessingError',
      true,
      'A request with this key is still in flight: call again shortly.',
    ],
    [422, 'VALIDATION_FAILED', 'ValidationError', false],
    [
      422,
      'AMOUNT_MISMATCH',
      'AmountMismatchError',
      false,
      'The listed price has changed: fetch the catalogue again and ask your customer before buying.',
    ],
    [
      422,
      'VERIFICATION_FAILED',
      'VerificationFailedError',
      false,
      'The recipient could not be confirmed: check the number with your customer.',
    ],
    [
      422,
      'GATEWAY_ERROR',
      'UnresolvableFieldError',
      false,
      'A field cannot be resolved, most likely the biller: airtime has MTN, AIRTEL, GLO, 9MOBILE.',
    ],
    [429, 'RATE_LIMITED', 'RateLimitError', false, 'Wait before the next call.'],
    [500, 'GATEWAY_ERROR', 'ServerError', true],
    [502, 'GATEWAY_ERROR', 'ServerError', true],
    [
      503,
      'PROVIDER_UNAVAILABLE',
      'ProviderUnavailableError',
      false,
      "Call again later. Keep idempotency_key 'order-77'.",
    ],
    [
      503,
      'QUEUE_UNAVAILABLE',
      'QueueUnavailableError',
      false,
      "Call again later. Keep idempotency_key 'order-77'.",
    ],
    [503, 'MAINTENANCE', 'ServerError', true],
    [504, 'GATEWAY_ERROR', 'ServerError', true],
    [507, 'ELSE', 'ServerError', true],
    // A code at another status than its own chooses nothing.
    [400, 'VALIDATION_FAILED', 'ApiError', true],
    [402, 'ELSE', 'ApiError', true],
    [403, 'ELSE', 'ApiError', true, unlisted],
    [409, 'CONFLICT', 'ApiError', true],
    [418, 'TEAPOT', 'ApiError', true],
    [422, 'ELSE', 'ApiError', true],
    [408, 'SLOW', 'ApiError', true],
    [425, 'EARLY', 'ApiError', true],
    [499, 'GONE', 'ApiError', true],
    [401, 'ELSE', 'AuthenticationError', true, key401],
    [500, 'PROVIDER_UNAVAILABLE', 'ServerError', true],
  ];

/** The same statuses from something that is not the service: a proxy's page, or nothing at all. Each leaves a purchase in doubt. */
const statusRows: readonly [status: number, name: Name, advice?: string][] = [
  [400, 'ApiError'],
  [401, 'AuthenticationError', key401],
  [402, 'ApiError'],
  [403, 'ApiError', unlisted],
  [404, 'NotFoundError', 'Check baseUrl (https://pay.example/api/v1).'],
  [405, 'MethodNotAllowedError', 'Allowed: not stated.'],
  [408, 'ApiError'],
  [409, 'ApiError'],
  [413, 'ApiError'],
  [422, 'ApiError'],
  [429, 'RateLimitError', 'Wait before the next call.'],
  [500, 'ServerError'],
  [502, 'ServerError'],
  [503, 'ServerError'],
  [504, 'ServerError'],
  [520, 'ServerError'],
];

/** What a message says of the money, and after it. */
const remedy = (mayHaveCharged: boolean, advice: string | undefined): string =>
  [mayHaveCharged ? charged : 'This call charged nothing.', advice].filter(Boolean).join(' ');

describe.each(rows)('%i %s', (status, code, name, mayHaveCharged, advice) => {
  const body = { status: 'error', code, message: 'what the service says', extra: 1 };

  it(`of a purchase is ${name}`, async () => {
    wire.respond({ status, body, headers: { 'X-Request-Id': 'r-9' } });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toBeInstanceOf(exported[name]);
    expect(error).toBeInstanceOf(ApiError);
    expect(isBillPayError(error)).toBe(true);
    expect(error).toMatchObject({
      name,
      code,
      status,
      body,
      operation: 'airtime.purchase',
      attempts: 1,
      idempotencyKey: 'order-77',
      mayHaveCharged,
      message: `airtime.purchase failed with ${status} ${code} (what the service says)${isDocumented(status, code) ? '' : undocumented}. ${remedy(mayHaveCharged, advice)}`,
    });
    expect(error instanceof ApiError && error.headers?.get('x-request-id')).toBe('r-9');
    expect(error instanceof Error && error.constructor.name).toBe(name);
  });

  it('of a read never mentions money', async () => {
    wire.respond({ status, body });
    const error = await rejectionOf(clientOf().transactions.status('TXN-1'));
    expect(error).toBeInstanceOf(exported[name]);
    expect(error).toMatchObject({ name, mayHaveCharged: false, idempotencyKey: undefined });
    expect(String(error)).not.toMatch(/charged|debited|idempotency_key '/);
  });
});

describe.each(statusRows)('%i without a code', (status, name, advice) => {
  it.each([
    ['a page', '<html><body>Bad gateway</body></html>'],
    ['nothing', ''],
    ['JSON of another kind', '{"error":{"code":"BAD_REQUEST"},"code":7,"message":{"text":"x"}}'],
    ['JSON that is no object', '[1]'],
    ['cut JSON', '{"status":"error","code":"QUEUE_UNAVA'],
  ])(`and with %s is ${name}`, async (_, body) => {
    wire.respond({ status, body });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toBeInstanceOf(exported[name]);
    const readable = body.startsWith('{"error"') || body.startsWith('[');
    expect(error).toMatchObject({
      name,
      code: undefined,
      status,
      body: readable ? JSON.parse(body) : body,
      mayHaveCharged: true,
      message: `airtime.purchase failed with ${status}${foreign}. ${remedy(true, advice)}`,
    });
  });
});

it('has a row for every class that a response can become', () => {
  const named = new Set([...rows.map(([, , name]) => name), ...statusRows.map(([, name]) => name)]);
  const answers = Object.entries(exported).flatMap(([name, value]) =>
    typeof value === 'function' && value.prototype instanceof ApiError ? [name] : [],
  );
  expect([...named].toSorted()).toEqual([...answers, 'ApiError'].toSorted());
});

describe('what only some errors carry', () => {
  it('ValidationError: errors, field by field, in the message too', async () => {
    const errors = { recipient: 'is not a phone number', amount: 'is too large' };
    wire.respond({
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
    wire.respond({
      status: 422,
      body: { status: 'error', code: 'VALIDATION_FAILED', message: 'No', errors },
    });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toMatchObject({ errors, body: { errors } });
    for (const printed of [inspect(error), JSON.stringify(error), JSON.stringify({ ...Object(error) })]) {
      expect(printed).not.toMatch(/0124000952992|373820665258/);
    }
    expect(inspect(error)).toContain("recipient: 'Meter [redacted] is not registered with IKEDC'");

    wire.respond({ status: 418, body: { status: 'error', code: 'PIN 373820665258', message: 'No' } });
    const other = await rejectionOf(purchase(clientOf()));
    expect(other).toMatchObject({ name: 'ApiError', code: 'PIN 373820665258' });
    for (const printed of [inspect(other), JSON.stringify(other), JSON.stringify({ ...Object(other) })]) {
      expect(printed).not.toContain('373820665258');
    }
    expect(JSON.parse(JSON.stringify(other)).code).toBe('PIN [redacted]');
  });

  it.each([
    ['missing', undefined, {}],
    ['null', null, {}],
    ['text', 'amount', {}],
    ['a list', ['amount is too large'], { 0: 'amount is too large' }],
    ['lists of texts', { amount: ['is too large', 'is odd'] }, { amount: 'is too large; is odd' }],
    ['objects', { amount: { max: 5 } }, { amount: '{"max":5}' }],
    [
      'objects that have no text',
      { amount: { toString: 1, valueOf: 2 } },
      { amount: '{"toString":1,"valueOf":2}' },
    ],
    ['other values', { amount: null, recipient: 7 }, { amount: 'null', recipient: '7' }],
    [
      'names of built-in properties',
      JSON.parse('{"__proto__":"no","constructor":"no"}'),
      JSON.parse('{"__proto__":"no","constructor":"no"}'),
    ],
  ])('ValidationError: errors that are %s', async (_, errors, expected) => {
    wire.respond({
      status: 422,
      body: { status: 'error', code: 'VALIDATION_FAILED', message: 'Invalid', errors },
    });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toBeInstanceOf(billpayModule.ValidationError);
    expect(error instanceof billpayModule.ValidationError && Object.entries(error.errors)).toEqual(
      Object.entries(expected),
    );
  });

  it('ValidationError: errors nested deeper than a stack can follow', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    wire.respond({ status: 422, body: `{"code":"VALIDATION_FAILED","errors":{"amount":${deep}}}` });
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
    wire.respond({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' }, headers });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toMatchObject({ allow: expected, message: expect.stringContaining(`Allowed: ${said}.`) });
  });

  it.each([
    ['the header', { 'Retry-After': '7' }, {}, 7],
    ['the body', {}, { retry_after_seconds: 11 }, 11],
    ['the header before the body', { 'Retry-After': '7' }, { retry_after_seconds: 11 }, 7],
  ])('RateLimitError: retryAfterSeconds from %s', async (_, headers, more, seconds) => {
    wire.respond({
      status: 429,
      body: { status: 'error', code: 'RATE_LIMITED', message: '', ...more },
      headers,
    });
    expect(await rejectionOf(purchase(clientOf()))).toMatchObject({
      retryAfterSeconds: seconds,
      message: `airtime.purchase failed with 429 RATE_LIMITED. This call charged nothing. Call again after ${seconds} s. Keep idempotency_key 'order-77'.`,
    });
  });

  it('a generated key is on the error and in its advice', async () => {
    wire.respond({ status: 500, body: {} });
    const { idempotency_key: _, ...bare } = asked;
    const error = await rejectionOf(clientOf().airtime.purchase(bare));
    const sent: unknown = JSON.parse(wire.sent[0]?.body ?? '').idempotency_key;
    expect(error).toMatchObject({
      idempotencyKey: sent,
      message: expect.stringContaining(`Retry with idempotency_key '${sent}'`),
    });
  });
});

describe('advice that depends on the call', () => {
  it('a catalogue’s 404 away from /api/v1 says where catalogues are', async () => {
    wire.respond({ status: 404, body: '' });
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
    wire.respond({
      status: 404,
      body: { status: 'error', code: 'NOT_FOUND', message: 'No such transaction' },
    });
    expect(String(await rejectionOf(clientOf().transactions.status('order-77')))).toBe(
      'NotFoundError: transactions.status failed with 404 NOT_FOUND (No such transaction). The reference is unknown or belongs to another client; an idempotency_key is not a reference.',
    );
  });

  it('a failed read says when to come back', async () => {
    wire.respond({ status: 502, body: { status: 'error', code: 'GATEWAY_ERROR', message: 'no catalogue' } });
    expect(String(await rejectionOf(clientOf().data.products({ biller: 'MTN' })))).toBe(
      'ServerError: data.products failed with 502 GATEWAY_ERROR (no catalogue). Call again later.',
    );
  });

  it('the service’s own words are cut at 300 characters', async () => {
    wire.respond({ status: 418, body: { message: 'x'.repeat(2000) } });
    expect(String(await rejectionOf(clientOf().data.products({ biller: 'MTN' })))).toBe(
      `ApiError: data.products failed with 418 (${'x'.repeat(300)})${foreign}.`,
    );
  });
});

/** A transport that is certain that no connection was made. */
const couldNotConnect: Transport = async () => ({
  kind: 'failure',
  why: 'connection',
  mayHaveArrived: false,
  cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }),
});

describe('a subscription that failed', () => {
  const subscribe = (billpay: BillPay) => billpay.webhooks.subscribe({ url: 'https://shop.example/hooks' });
  const lost =
    'If the service carried it out, its one-time secret is lost: subscribe again and use the newest secret.';

  it.each([500, 502, 503, 504, 408])('with %i says that the secret may be lost', async (status) => {
    wire.respond({ status, body: '' });
    const error = await rejectionOf(subscribe(clientOf()));
    expect(error).toMatchObject({ mayHaveCharged: false, message: expect.stringContaining(lost) });
  });

  it.each(['', '<html>', '{}', '{"status":"success","data":{"url":"x"}}'])(
    'with an unusable 200 says so: %j',
    async (body) => {
      wire.respond({ status: 200, body });
      expect(String(await rejectionOf(subscribe(clientOf())))).toContain(lost);
    },
  );

  it('says so when no response came', async () => {
    const reset = async () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('socket hang up') }));
    expect(String(await rejectionOf(subscribe(clientOf({ fetch: reset }))))).toBe(
      `ConnectionError: webhooks.subscribe received no response: the connection to pay.example:443 broke (socket hang up). ${lost}`,
    );
  });

  it.each([
    [400, 'BAD_REQUEST'],
    [401, 'UNAUTHORIZED'],
    [403, 'GATEWAY_ERROR'],
    [422, 'VALIDATION_FAILED'],
    [429, 'RATE_LIMITED'],
  ])('with %i %s mentions no secret: there is none', async (status, code) => {
    wire.respond({ status, body: { status: 'error', code, message: 'no' } });
    expect(String(await rejectionOf(subscribe(clientOf())))).not.toContain('secret is lost');
  });

  it('speaks of none either when it could not connect, or was aborted before it was sent', async () => {
    expect(String(await rejectionOf(subscribe(clientOf({ transport: couldNotConnect }))))).toBe(
      'ConnectionError: webhooks.subscribe could not connect to pay.example:443 (ECONNREFUSED).',
    );
    const call = clientOf().webhooks.subscribe(
      { url: 'https://shop.example/hooks' },
      { signal: AbortSignal.abort() },
    );
    expect(String(await rejectionOf(call))).toBe('AbortError: webhooks.subscribe was aborted by its signal.');
  });
});

describe('errors without a response', () => {
  const failing = (error: unknown) => clientOf({ fetch: async () => Promise.reject(error) });

  it('ConnectionError, in doubt', async () => {
    const error = await rejectionOf(purchase(failing(new TypeError('fetch failed'))));
    expect(error).toBeInstanceOf(billpayModule.ConnectionError);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ConnectionError',
      code: 'CONNECTION_FAILED',
      attempts: 1,
      mayHaveCharged: true,
      message: `airtime.purchase received no response: the connection to pay.example:443 broke (fetch failed). ${charged}`,
      cause: { message: 'fetch failed' },
    });
    expect('status' in Object(error)).toBe(false);
  });

  it('ConnectionError, certain', async () => {
    const error = await rejectionOf(purchase(clientOf({ transport: couldNotConnect })));
    expect(error).toMatchObject({
      mayHaveCharged: false,
      message:
        'airtime.purchase could not connect to pay.example:443 (ECONNREFUSED). This call charged nothing.',
    });
  });

  it('ConnectionError when a caller’s own fetch throws an error of unlikely make', async () => {
    const odd = Object.assign(new Error('x'), { message: { no: 'text' }, stack: 7, code: {} });
    expect(await rejectionOf(purchase(failing(odd)))).toBeInstanceOf(billpayModule.ConnectionError);
  });

  it('TimeoutError of an attempt and of the call', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const fetch = () => new Promise<Response>(() => {});
    const timedOut = async (options: BillPayOptions) => {
      const error = rejectionOf(purchase(clientOf({ fetch, ...options })));
      await vi.advanceTimersByTimeAsync(5);
      return error;
    };
    expect(await timedOut({ timeout: 5 })).toMatchObject({
      name: 'TimeoutError',
      code: 'TIMEOUT',
      attempts: 1,
      mayHaveCharged: true,
      transaction: undefined,
      message: `airtime.purchase received no response within the timeout of 5 ms. ${charged}`,
    });
    expect(await timedOut({ totalTimeout: 5 })).toMatchObject({
      message: `airtime.purchase received no response within its totalTimeout of 5 ms. ${charged}`,
    });
  });

  it('AbortError, before and while it is under way, with the signal’s reason', async () => {
    const reason = new Error('the customer left');
    const before = await rejectionOf(
      clientOf().airtime.purchase(asked, { signal: AbortSignal.abort(reason) }),
    );
    expect(before).toBeInstanceOf(billpayModule.AbortError);
    expect(before).toMatchObject({
      name: 'AbortError',
      code: 'ABORTED',
      attempts: 0,
      idempotencyKey: 'order-77',
      mayHaveCharged: false,
      message: 'airtime.purchase was aborted by its signal. This call charged nothing.',
      cause: reason,
    });
    expect(wire.sent).toEqual([]);

    const controller = new AbortController();
    const fetch = () => {
      controller.abort(reason);
      return new Promise<Response>(() => {});
    };
    const during = await rejectionOf(
      clientOf({ fetch }).airtime.purchase(asked, { signal: controller.signal }),
    );
    expect(during).toMatchObject({
      attempts: 1,
      mayHaveCharged: true,
      message: `airtime.purchase was aborted by its signal. ${charged}`,
      cause: reason,
    });
  });
});

describe('UnexpectedResponseError', () => {
  it.each([
    ['an empty body', '', '', 'its body is not JSON (it is empty)'],
    ['a page', '<html>', '<html>', 'its body is not JSON (text/html)'],
    ['a list', '[]', [], 'its body is not a JSON object'],
    [
      'no reference',
      '{"status":"pending","data":{}}',
      { status: 'pending', data: {} },
      'it has no usable data.reference',
    ],
    ['no data', '{"status":"pending"}', { status: 'pending' }, 'it has no usable data'],
  ])('for a 202 with %s', async (_, text, body, problem) => {
    wire.respond({ status: 202, body: text });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toBeInstanceOf(billpayModule.UnexpectedResponseError);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      code: 'UNEXPECTED_RESPONSE',
      status: 202,
      body,
      attempts: 1,
      mayHaveCharged: true,
      message: `airtime.purchase returned a 202 response that cannot be used: ${problem}. ${charged}`,
    });
    expect(error instanceof billpayModule.UnexpectedResponseError && error.headers).toBeInstanceOf(Headers);
  });

  it('for a redirect, with its target named', async () => {
    wire.respond({ status: 307, headers: { Location: 'https://elsewhere.example/api/v1/airtime/purchase' } });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      status: 307,
      mayHaveCharged: true,
      message: `airtime.purchase was redirected to https://elsewhere.example/api/v1/airtime/purchase; redirects are not followed, because they would carry the key elsewhere. Set baseUrl to the final address. ${charged}`,
    });
    expect(wire.sent).toHaveLength(1);
  });

  it('for a read: no word of money', async () => {
    wire.respond({ status: 200, body: '{}' });
    expect(String(await rejectionOf(clientOf().transactions.status('TXN-1')))).toBe(
      'UnexpectedResponseError: transactions.status returned a 200 response that cannot be used: it has no usable data.',
    );
  });

  it('with strictResponses names every difference, and holds the purchase all the same', async () => {
    wire.respond({ status: 202, body: { status: 'pending', data: { reference: 'TXN-1', amount: '500' } } });
    const error = await rejectionOf(purchase(clientOf({ strictResponses: true, maxRetries: 4 })));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      attempts: 1,
      mayHaveCharged: true,
      purchase: { reference: 'TXN-1', amount: 500, status: 'pending', idempotency_key: 'order-77' },
      message: expect.stringMatching(
        /strictResponses is on, and it differs from what is documented in code, message, data\.recipient, data\.biller, data\.amount, data\.channel, data\.currency, data\.created_at\./,
      ),
    });
  });
});

describe('IdempotencyKeyReusedError', () => {
  it('is an open question: both values of each field, the reference to look at, and no other key', async () => {
    const data = { reference: 'TXN-OLD', biller: 'AIRTEL', recipient: '08021111111', amount: 100 };
    wire.respond({ status: 202, body: { status: 'success', code: 'PROCESSING', message: '', data } });
    const error = await rejectionOf(purchase(clientOf()));
    expect(error).toBeInstanceOf(billpayModule.IdempotencyKeyReusedError);
    expect(error).toBeInstanceOf(BillPayError);
    expect(error).toMatchObject({
      name: 'IdempotencyKeyReusedError',
      code: 'IDEMPOTENCY_KEY_REUSED',
      operation: 'airtime.purchase',
      attempts: 1,
      idempotencyKey: 'order-77',
      mayHaveCharged: true,
      purchase: { ...data, status: 'success', idempotency_key: 'order-77' },
      differences: [
        { field: 'biller', asked: 'MTN', echoed: 'AIRTEL' },
        { field: 'recipient', asked: '08031234567', echoed: '08021111111' },
        { field: 'amount', asked: 500, echoed: 100 },
      ],
      message:
        "airtime.purchase under idempotency_key 'order-77' returned the purchase TXN-OLD, which differs from what was asked (biller MTN was asked, AIRTEL came back; recipient 0803****567 was asked, 0802****111 came back; amount 500 was asked, 100 came back). The key was probably used before for another sale, so it is unknown whether this order was bought. Look at reference TXN-OLD with transactions.status and compare it with your orders before you do anything else; do not buy this order under another key until that is settled.",
    });
  });
});

describe('after more than one attempt', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A client whose service gives these statuses one after another. */
  const answering = (...statuses: [number, string][]) => {
    const left = [...statuses];
    const fetch = async () => {
      const [status, code] = left.shift() ?? [599, 'NO_MORE'];
      return Response.json({ status: 'error', code, message: 'no' }, { status });
    };
    return clientOf({ fetch, maxRetries: statuses.length - 1 });
  };
  const endOf = async (call: PromiseLike<unknown>) => {
    const end = rejectionOf(call);
    await vi.runAllTimersAsync();
    return end;
  };

  it('a refusal does not clear a doubt, and the message says both', async () => {
    const call = purchase(answering([500, 'GATEWAY_ERROR'], [402, 'INSUFFICIENT_BALANCE']));
    expect(await endOf(call)).toMatchObject({
      name: 'InsufficientBalanceError',
      attempts: 2,
      mayHaveCharged: true,
      message: `airtime.purchase failed with 402 INSUFFICIENT_BALANCE (no) (after 2 attempts). ${charged} Fund the wallet, then call again. Keep idempotency_key 'order-77'.`,
    });
  });

  it('nothing but refusals leaves none', async () => {
    const call = purchase(answering([429, 'RATE_LIMITED'], [503, 'QUEUE_UNAVAILABLE']));
    expect(await endOf(call)).toMatchObject({
      name: 'QueueUnavailableError',
      attempts: 2,
      mayHaveCharged: false,
      message: expect.stringContaining('(after 2 attempts). This call charged nothing.'),
    });
  });

  const subscribe = (billpay: BillPay, signal?: AbortSignal) =>
    billpay.webhooks.subscribe({ url: 'https://shop.example/hooks' }, { signal });

  it('a subscription that is refused in the end may have been taken before', async () => {
    const error = await endOf(subscribe(answering([500, 'GATEWAY_ERROR'], [422, 'VALIDATION_FAILED'])));
    expect(String(error)).toContain('its one-time secret is lost');
  });

  it('and so may one whose wait is aborted', async () => {
    const controller = new AbortController();
    const billpay = answering([500, 'GATEWAY_ERROR'], [500, 'GATEWAY_ERROR']);
    const end = rejectionOf(subscribe(billpay, controller.signal));
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    expect(await end).toMatchObject({
      name: 'AbortError',
      attempts: 1,
      message: expect.stringContaining('its one-time secret is lost'),
    });
  });
});
