import { type OperationName, operations } from '../../src/contract/operations.js';
import type { RequestParams } from '../../src/http/request.js';
import type { CallKind } from '../../src/http/rules.js';
import type { ApiCall, BillPay, CallOptions } from '../../src/index.js';
import * as envelopes from '../support/envelopes.js';
import { callBy, complete, successOf } from '../support/every-call.js';
import {
  cut,
  deaf,
  endless,
  json,
  page,
  refusal,
  refused,
  reset,
  type Step,
  silent,
} from '../support/script.js';

/** The table of design and docs/errors.md: what each ending of an attempt means, for every kind of call. */

export interface CallOfKind {
  readonly kind: CallKind;
  readonly name: string;
  readonly make: (billpay: BillPay, options?: CallOptions) => ApiCall<unknown>;
  readonly success: Step;
}

/** A call by its name in the operations table. */
function callOf(name: OperationName): CallOfKind {
  const { status, body } = successOf(name);
  const make: CallOfKind['make'] = (billpay, options) => callBy(billpay, name, complete[name], options);
  return { kind: operations[name].kind, name, make, success: json(status, body) };
}

/** A call through request(). */
const requestOf = (kind: CallOfKind['kind'], name: string, params: RequestParams): CallOfKind => ({
  kind,
  name,
  make: (billpay, options) => billpay.request(params, options),
  success: json(200, {}),
});

const water = { method: 'POST', path: '/water/purchase' } as const;
export const calls: readonly CallOfKind[] = [
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
export type Row = readonly [what: string, step: Step, error: string, charged: boolean, again: string];

const every = 'purchase read subscribe unknown';
const known = 'purchase read subscribe';
const safe = 'purchase read';

export const rows: readonly Row[] = [
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
  ['no response from a fetch that ignores its signal', deaf, 'TimeoutError', true, safe],
  ['a success whose body never ends', endless(202), 'TimeoutError', true, safe],
  ['a success that was cut', cut(202), 'UnexpectedResponseError', true, safe],
  ['a page as a success', page(200), 'UnexpectedResponseError', true, safe],
  ['the last 2xx, as a page', page(299), 'UnexpectedResponseError', true, safe],
  ...[300, 301, 302, 307, 308, 399].map(
    (status): Row => [`redirect ${status}`, page(status), 'UnexpectedResponseError', true, ''],
  ),
  ['400', refusal(400, 'BAD_REQUEST'), 'BadRequestError', false, ''],
  ['400 whose body never ends', endless(400), 'ApiError', true, ''],
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
  ['422 GATEWAY_ERROR', refusal(422, 'GATEWAY_ERROR'), 'BillerNotConfiguredError', false, ''],
  ['422 VERIFICATION_FAILED', refusal(422, 'VERIFICATION_FAILED'), 'VerificationFailedError', false, ''],
  ['422 with an empty code', json(422, { status: 'error', code: '', message: '' }), 'ApiError', true, ''],
  ['422 that breaks off', cut(422), 'ApiError', true, ''],
  ...[408, 410, 413, 418, 425, 499].map((status): Row => [`${status}`, page(status), 'ApiError', true, '']),
];

/** Whether a call of a kind is sent again after this ending. */
export const isRepeated = ([, , , , again]: Row, kind: CallKind): boolean => again.split(' ').includes(kind);

/** Whether this ending leaves it open whether a call of a kind moved money. */
export const isDoubtful = ([, , , charged]: Row, kind: CallKind): boolean =>
  charged && (kind === 'purchase' || kind === 'unknown');
