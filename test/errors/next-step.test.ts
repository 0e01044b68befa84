import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '../../src/errors/error-responses.js';
import { classify } from '../../src/errors/next-step.js';
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

/** Each class, with what decides beside it; its kind; the step where nothing was charged, and where money may have moved. */
const rows: readonly [name: string, fields: object, ErrorKind, uncharged: NextStep, doubtful?: NextStep][] = [
  ['BadRequestError', { status: 400 }, 'rejected', stop],
  ['BadRequestError', { status: 408 }, 'rejected', stop],
  ['AuthenticationError', { status: 401 }, 'access', hold],
  ['InsufficientBalanceError', { status: 402 }, 'wallet', hold],
  ['PermissionError', { status: 403 }, 'access', hold],
  ['PermissionError', { code: 'GATEWAY_ERROR' }, 'access', hold],
  ['AccountRestrictedError', { status: 403 }, 'access', hold],
  ['NotFoundError', { status: 404 }, 'endpoint', stop],
  ['MethodNotAllowedError', { status: 405 }, 'endpoint', stop],
  ['AlreadyProcessingError', { status: 409 }, 'in-progress', retry(30), resume(2)],
  ['ValidationError', { errors: { amount: 'is required' } }, 'rejected', stop],
  ['AmountMismatchError', { status: 422 }, 'rejected', stop],
  ['VerificationFailedError', { status: 422 }, 'rejected', stop],
  ['UnresolvableFieldError', { status: 422 }, 'rejected', stop],
  ['RateLimitError', { status: 429, retryAfterSeconds: 0 }, 'transient', retry(0), resume(30)],
  ['RateLimitError', { status: 429, retryAfterSeconds: 7 }, 'transient', retry(7), resume(30)],
  ['RateLimitError', { status: 429, retryAfterSeconds: 90 }, 'transient', retry(90), resume(90)],
  ['RateLimitError', { status: 429 }, 'transient', retry(60), resume(60)],
  ['ServerError', { status: 500 }, 'transient', retry(30)],
  ['ProviderUnavailableError', { status: 503 }, 'transient', retry(60)],
  ['QueueUnavailableError', { status: 503 }, 'transient', retry(30)],
  ['ApiError', { status: 402 }, 'wallet', hold],
  ['ApiError', { status: 403 }, 'access', hold],
  ['ApiError', { status: 408 }, 'transient', retry(30)],
  ['ApiError', { status: 425 }, 'transient', retry(30)],
  ['ApiError', { status: 418 }, 'rejected', stop],
  ['ApiError', {}, 'rejected', stop],
  ['ConnectionError', {}, 'transient', retry(5)],
  ['TimeoutError', {}, 'transient', retry(5)],
  ['AbortError', {}, 'aborted', retry(0)],
  ['UnexpectedResponseError', { status: 200 }, 'transient', retry(30)],
  ['IdempotencyKeyReusedError', {}, 'reused-key', review, review],
  ['ConfigurationError', {}, 'configuration', hold],
  ['WebhookVerificationError', {}, 'rejected', stop],
  ['AlreadyHandledError', {}, 'rejected', stop],
  ['RetryLaterError', {}, 'transient', retry(30)],
  ['BillPayError', {}, 'rejected', stop],
];

describe('what to do with a purchase that threw', () => {
  it.each(rows)('%s %j is %s', (name, fields, kind, uncharged, doubtful = resume(30)) => {
    const certain = errorOf(name, fields);
    expect([classify(certain), nextStep(certain)]).toEqual([kind, uncharged]);
    const open = Object.assign(errorOf(name, fields), { mayHaveCharged: true });
    expect([classify(open), nextStep(open)]).toEqual([kind, doubtful]);
  });

  it('has a row for every class', () => {
    const names = Object.keys(classes).filter((name) => /^[A-Z]\w*Error$/.test(name));
    expect([...new Set(rows.map(([name]) => name))].toSorted()).toEqual(names.toSorted());
  });

  it('a subclass of the caller is what it derives from', () => {
    class ShopServerError extends ServerError {}
    expect(classify(new ShopServerError('closed'))).toBe('transient');
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
    expect([classify(thrown), nextStep(thrown)]).toEqual(['foreign', resume(30)]);
  });
});
