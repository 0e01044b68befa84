import { describe, expect, it } from 'vitest';
import * as ours from '../../src/index.js';
import { type BillPayError, type NextStep, nextStep, ServerError } from '../../src/index.js';
import { AlreadyHandledError, RetryLaterError } from '../../src/webhooks/errors.js';

const stop: NextStep = { action: 'stop' };
const hold: NextStep = { action: 'hold' };
const review: NextStep = { action: 'review' };
const retry = (seconds: number): NextStep => ({ action: 'retry', afterMs: seconds * 1000 });
const resume = (seconds: number): NextStep => ({ action: 'resume', afterMs: seconds * 1000 });

const classes: Readonly<Record<string, unknown>> = { ...ours, AlreadyHandledError, RetryLaterError };

/** An error of a class, with these fields. */
function errorOf(name: string, fields: object): BillPayError {
  const all = { purchase: { reference: 'TXN-1' }, ...fields };
  const first = { ConfigurationError: 'timeout', WebhookVerificationError: 'signature_mismatch' }[name];
  return Reflect.construct(classes[name] as () => void, first ? [first, 'is wrong', all] : ['', all]);
}

/** Each class, with what decides beside it; the step where nothing was charged, and where money may have moved. */
const rows: readonly [name: string, fields: object, uncharged: NextStep, doubtful?: NextStep][] = [
  ['BadRequestError', { status: 400 }, stop],
  ['BadRequestError', { status: 408 }, stop],
  ['AuthenticationError', { status: 401 }, hold],
  ['InsufficientBalanceError', { status: 402 }, hold],
  ['PermissionError', { status: 403 }, hold],
  ['PermissionError', { code: 'GATEWAY_ERROR' }, hold],
  ['AccountRestrictedError', { status: 403 }, hold],
  ['NotFoundError', { status: 404 }, stop],
  ['MethodNotAllowedError', { status: 405 }, stop],
  ['AlreadyProcessingError', { status: 409 }, retry(30), resume(2)],
  ['ValidationError', { errors: { amount: 'is required' } }, stop],
  ['AmountMismatchError', { status: 422 }, stop],
  ['VerificationFailedError', { status: 422 }, stop],
  ['BillerNotConfiguredError', { status: 422 }, stop],
  ['RateLimitError', { status: 429, retryAfterSeconds: 0 }, retry(0), resume(30)],
  ['RateLimitError', { status: 429, retryAfterSeconds: 7 }, retry(7), resume(30)],
  ['RateLimitError', { status: 429, retryAfterSeconds: 90 }, retry(90), resume(90)],
  ['RateLimitError', { status: 429 }, retry(60), resume(60)],
  ['ServerError', { status: 500 }, retry(30)],
  ['ProviderUnavailableError', { status: 503 }, retry(60)],
  ['QueueUnavailableError', { status: 503 }, retry(30)],
  ['ApiError', { status: 402 }, hold],
  ['ApiError', { status: 403 }, hold],
  ['ApiError', { status: 408 }, retry(30)],
  ['ApiError', { status: 425 }, retry(30)],
  ['ApiError', { status: 418 }, stop],
  ['ApiError', {}, stop],
  ['ConnectionError', {}, retry(5)],
  ['TimeoutError', {}, retry(5)],
  ['AbortError', {}, retry(0)],
  ['UnexpectedResponseError', { status: 200 }, retry(30)],
  ['IdempotencyKeyReusedError', {}, review, review],
  ['ConfigurationError', {}, hold],
  ['WebhookVerificationError', {}, stop],
  ['AlreadyHandledError', {}, stop],
  ['RetryLaterError', {}, retry(30)],
  ['BillPayError', {}, stop],
];

describe('what to do with a purchase that threw', () => {
  it.each(rows)('%s %j is %s', (name, fields, uncharged, doubtful = resume(30)) => {
    const certain = errorOf(name, fields);
    expect(nextStep(certain)).toEqual(uncharged);
    const open = Object.assign(errorOf(name, fields), { mayHaveCharged: true });
    expect(nextStep(open)).toEqual(doubtful);
  });

  it('has a row for every class', () => {
    const names = Object.keys(classes).filter((name) => /^[A-Z]\w*Error$/.test(name));
    expect([...new Set(rows.map(([name]) => name))].toSorted()).toEqual(names.toSorted());
  });

  it('a subclass of the caller is what it derives from', () => {
    class ShopServerError extends ServerError {}
    expect(nextStep(new ShopServerError('closed'))).toEqual(retry(30));
  });

  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each<[string, unknown]>([
    ['a plain error', new Error('the database is away')],
    ['something that only looks like one', { name: 'ValidationError', mayHaveCharged: false }],
    ['a text', 'INSUFFICIENT_BALANCE'],
    ['undefined', undefined],
    ['a revoked proxy', revoked.proxy],
  ])('%s says nothing about money, so the purchase is resumed', (_, thrown) => {
    expect(nextStep(thrown)).toEqual(resume(30));
  });
});
