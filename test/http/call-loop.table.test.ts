import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/contract/operations.js';
import type { CallKind } from '../../src/http/proof.js';
import type { RequestParams } from '../../src/http/raw-request.js';
import { type BillPay, BillPayError } from '../../src/index.js';
import { ended, rejected, resolved, useFakeClock } from '../support/clock.js';
import * as envelopes from '../support/envelopes.js';
import { callBy, complete, successOf } from '../support/every-call.js';
import {
  accepted,
  airtime,
  clientWith,
  cut,
  endless,
  json,
  page,
  refusal,
  refused,
  reset,
  type Step,
  script,
  silent,
} from '../support/script.js';

useFakeClock();

interface CallOfKind {
  readonly kind: CallKind;
  readonly name: string;
  readonly make: (billpay: BillPay) => PromiseLike<unknown>;
  readonly success: Step;
}

/** A call by its name in the operations table. */
function callOf(name: OperationName): CallOfKind {
  const { status, body } = successOf(name);
  const make = (billpay: BillPay) => callBy(billpay, name, complete[name]);
  return { kind: operations[name].kind, name, make, success: json(status, body) };
}

/** A call through request(). */
const requestOf = (kind: CallOfKind['kind'], name: string, params: RequestParams): CallOfKind => ({
  kind,
  name,
  make: (b) => b.request(params),
  success: json(200, {}),
});

const water = { method: 'POST', path: '/water/purchase' } as const;
const calls: readonly CallOfKind[] = [
  callOf('airtime.purchase'),
  callOf('data.products'),
  callOf('tv.validate'),
  callOf('transactions.status'),
  callOf('webhooks.subscribe'),
  requestOf('read', 'request() with GET', {
    method: 'GET',
    path: '/data/variations',
    query: { biller: 'MTN' },
  }),
  requestOf('purchase', 'request() with a key', { ...water, body: { idempotency_key: 'order-1' } }),
  requestOf('unknown', 'request() without one', { ...water, body: { amount: 5 } }),
];

/** What an attempt ends in; the class; whether it may have charged; which kinds are repeated. */
type Row = readonly [what: string, step: Step, error: string, charged: boolean, again: string];

const every = 'purchase read subscribe unknown';
const known = 'purchase read subscribe';
const safe = 'purchase read';

const rows: readonly Row[] = [
  ['409 ALREADY_PROCESSING', refusal(409, 'ALREADY_PROCESSING'), 'AlreadyProcessingError', true, 'purchase'],
  ['409 with another code', refusal(409, 'CONFLICT'), 'ApiError', true, ''],
  ['409 from a proxy', page(409), 'ApiError', true, ''],
  ['429', refusal(429, 'RATE_LIMITED'), 'RateLimitError', false, every],
  ['429 from a proxy', page(429), 'RateLimitError', true, every],
  ['429 whose body breaks off', cut(429), 'RateLimitError', true, every],
  ['500', refusal(500, 'GATEWAY_ERROR'), 'ServerError', true, known],
  ['500 with the code of a 503', refusal(500, 'QUEUE_UNAVAILABLE'), 'ServerError', true, known],
  ['500 whose body never ends', endless(500), 'ServerError', true, known],
  ['501', page(501), 'ServerError', true, ''],
  ['502', refusal(502, 'GATEWAY_ERROR'), 'ServerError', true, known],
  ['502 from a proxy', page(502), 'ServerError', true, known],
  ['503 PROVIDER', refusal(503, 'PROVIDER_UNAVAILABLE'), 'ProviderUnavailableError', false, known],
  ['503 QUEUE', refusal(503, 'QUEUE_UNAVAILABLE'), 'QueueUnavailableError', false, known],
  ['503 with another code', refusal(503, 'GATEWAY_ERROR'), 'ServerError', true, known],
  ['503 from a proxy', page(503), 'ServerError', true, known],
  ['503 whose body breaks off', cut(503), 'ServerError', true, known],
  ['504', page(504), 'ServerError', true, known],
  ['505', page(505), 'ServerError', true, ''],
  ['599', page(599), 'ServerError', true, ''],
  ["a refused connection, says a caller's fetch", refused, 'ConnectionError', true, safe],
  ['a broken connection', reset, 'ConnectionError', true, safe],
  ['no response in time', silent, 'TimeoutError', true, safe],
  ['a success whose body never ends', endless(202), 'TimeoutError', true, safe],
  ['a success that was cut', cut(202), 'UnexpectedResponseError', true, safe],
  ['a page as a success', page(200), 'UnexpectedResponseError', true, safe],
  ['the last 2xx, as a page', page(299), 'UnexpectedResponseError', true, safe],
  ...[300, 301, 302, 307, 308, 399].map(
    (status): Row => [`redirect ${status}`, page(status), 'UnexpectedResponseError', true, ''],
  ),
  ['400', refusal(400, 'BAD_REQUEST'), 'BadRequestError', false, ''],
  ['400 with the code of a 422', refusal(400, 'AMOUNT_MISMATCH'), 'ApiError', true, ''],
  ['401', refusal(401, 'UNAUTHORIZED'), 'AuthenticationError', false, ''],
  ['401 of a proxy', page(401), 'AuthenticationError', true, ''],
  ['402', refusal(402, 'INSUFFICIENT_BALANCE'), 'InsufficientBalanceError', false, ''],
  ...[{ status: undefined }, { status: 'failed' }, { message: null }, { message: undefined }].map(
    (other): Row => [
      `402 with ${JSON.stringify(other)} in the envelope`,
      json(402, { ...envelopes.refusal('INSUFFICIENT_BALANCE'), ...other }),
      'InsufficientBalanceError',
      true,
      '',
    ],
  ),
  ['402 in a list', json(402, [envelopes.refusal('INSUFFICIENT_BALANCE')]), 'ApiError', true, ''],
  ['403 GATEWAY_ERROR', refusal(403, 'GATEWAY_ERROR'), 'PermissionError', false, ''],
  ['403 ACCOUNT_RESTRICTED', refusal(403, 'ACCOUNT_RESTRICTED'), 'AccountRestrictedError', false, ''],
  ['403 of a firewall', page(403), 'ApiError', true, ''],
  ['404', page(404), 'NotFoundError', true, ''],
  ['404 with a code of no document', refusal(404, 'NOT_FOUND'), 'NotFoundError', true, ''],
  ['405', refusal(405, 'METHOD_NOT_ALLOWED'), 'MethodNotAllowedError', false, ''],
  ['422 VALIDATION_FAILED', refusal(422, 'VALIDATION_FAILED'), 'ValidationError', false, ''],
  ['422 AMOUNT_MISMATCH', refusal(422, 'AMOUNT_MISMATCH'), 'AmountMismatchError', false, ''],
  ['422 GATEWAY_ERROR', refusal(422, 'GATEWAY_ERROR'), 'UnresolvableFieldError', false, ''],
  ['422 VERIFICATION_FAILED', refusal(422, 'VERIFICATION_FAILED'), 'VerificationFailedError', false, ''],
  ['422 that breaks off', cut(422), 'ApiError', true, ''],
  ...[408, 410, 413, 418, 425, 499].map((status): Row => [`${status}`, page(status), 'ApiError', true, '']),
];

describe.each(calls)('$name', ({ kind, make, success }) => {
  it.each(rows)('%s', async (_, step, name, charged, again) => {
    const repeated = again.split(' ').includes(kind);
    const mayHaveCharged = charged && (kind === 'purchase' || kind === 'unknown');

    const once = script(step);
    const error = await rejected(Promise.resolve(make(clientWith(once.fetch, { maxRetries: 0 }))));
    expect(error).toBeInstanceOf(BillPayError);
    expect(error).toMatchObject({ name, attempts: 1, mayHaveCharged });

    const twice = script(step, success);
    const call = Promise.resolve(make(clientWith(twice.fetch)));
    if (repeated) {
      await resolved(call);
      const [first, second] = twice.sent;
      expect(twice.sent).toHaveLength(2);
      expect(second?.bytes).toEqual(first?.bytes);
      expect(second?.url).toBe(first?.url);
      expect([...(second?.headers ?? [])]).toEqual([...(first?.headers ?? [])]);
    } else {
      expect(await rejected(call)).toMatchObject({ name, attempts: 1, mayHaveCharged });
      expect(twice.sent).toHaveLength(1);
    }
  });
});

describe('a success that lacks what a caller cannot do without', () => {
  it.each<[name: string, Step, requests: number]>([
    ['airtime.purchase', json(202, { status: 'pending', data: {} }), 2],
    ['data.products', json(200, { status: 'success', products: [{}] }), 2],
    ['webhooks.subscribe', json(200, { status: 'success', data: {} }), 1],
  ])('of %s is unreadable, and repeated as such', async (name, step, requests) => {
    const { make, success } = calls.find((call) => call.name === name)!;
    const { fetch, sent } = script(step, success);
    const end = await ended(Promise.resolve(make(clientWith(fetch))));
    if (requests === 1)
      expect(end).toMatchObject({ error: { name: 'UnexpectedResponseError', attempts: 1 } });
    else expect(end).toHaveProperty('value');
    expect(sent).toHaveLength(requests);
  });
});

describe('maxRetries', () => {
  const down = refusal(500, 'GATEWAY_ERROR');

  it('is 4 by default, and a call may say otherwise', async () => {
    for (const maxRetries of [undefined, 0, 1, 2]) {
      const { fetch, sent } = script(...Array.from({ length: 9 }, () => down));
      const error = await rejected(clientWith(fetch).airtime.purchase(airtime, { maxRetries }));
      const attempts = (maxRetries ?? 4) + 1;
      expect(error).toMatchObject({ name: 'ServerError', attempts });
      expect(sent).toHaveLength(attempts);
    }
  });
});

describe('the bytes of a repeat', () => {
  const fiveTimes = [reset, silent, refusal(409, 'ALREADY_PROCESSING'), page(502), accepted()];

  it('are the same bytes, with the key that was made for the call', async () => {
    const { fetch, sent } = script(...fiveTimes);
    const purchase = await resolved(clientWith(fetch).airtime.purchase(airtime));
    expect(sent).toHaveLength(5);
    for (const { bytes } of sent) expect(bytes).toEqual(sent[0]?.bytes);
    const body: unknown = JSON.parse(new TextDecoder().decode(sent[0]?.bytes));
    expect(body).toEqual({ client_id: 'client-1', ...airtime, idempotency_key: purchase.idempotency_key });
    expect(purchase.idempotency_key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('are the same whatever the caller does to the parameters meanwhile', async () => {
    const { fetch, sent } = script(reset, accepted());
    const params = { ...airtime, amount: 500, idempotency_key: 'order-1' };
    const call = clientWith(fetch).airtime.purchase(params);
    params.amount = 9000;
    params.idempotency_key = 'order-2';
    await resolved(call);
    expect(sent[1]?.bytes).toEqual(sent[0]?.bytes);
    expect(new TextDecoder().decode(sent[0]?.bytes)).toContain('"amount":500');
  });

  it('are on the error too, as the key to come back with', async () => {
    const { fetch, sent } = script(reset);
    const error = await rejected(clientWith(fetch, { maxRetries: 0 }).airtime.purchase(airtime));
    const { idempotency_key } = JSON.parse(new TextDecoder().decode(sent[0]?.bytes));
    expect(error).toMatchObject({
      idempotencyKey: idempotency_key,
      message: expect.stringContaining(`'${idempotency_key}'`),
    });
  });
});

describe('mayHaveCharged is sticky', () => {
  const limited = refusal(429, 'RATE_LIMITED');
  const unfunded = refusal(402, 'INSUFFICIENT_BALANCE');

  it.each<[string, readonly Step[], string, boolean]>([
    ['a reset, then a refusal', [reset, unfunded], 'InsufficientBalanceError', true],
    ['certain refusals only', [limited, limited, unfunded], 'InsufficientBalanceError', false],
    ['certain refusals, then doubt', [limited, page(500), unfunded], 'InsufficientBalanceError', true],
    ['a 409 in the end', [limited, refusal(409, 'CONFLICT')], 'ApiError', true],
  ])('%s', async (_, steps, name, mayHaveCharged) => {
    const { fetch, sent } = script(...steps);
    const error = await rejected(clientWith(fetch).airtime.purchase(airtime));
    expect(sent).toHaveLength(steps.length);
    expect(error).toMatchObject({
      name,
      mayHaveCharged,
      attempts: steps.length,
      message: expect.stringContaining(
        mayHaveCharged
          ? 'The wallet may have been debited: the sale is unknown, not failed.'
          : 'This call charged nothing.',
      ),
    });
  });
});
