import { describe, expect, it } from 'vitest';
import {
  AbortError,
  AccountRestrictedError,
  AlreadyProcessingError,
  AmountMismatchError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  BillPayError,
  ConfigurationError,
  ConnectionError,
  IdempotencyKeyReusedError,
  InsufficientBalanceError,
  MethodNotAllowedError,
  type NextStep,
  NotFoundError,
  nextStep,
  PermissionError,
  ProviderUnavailableError,
  type Purchase,
  QueueUnavailableError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  UnresolvableFieldError,
  ValidationError,
  VerificationFailedError,
  WebhookVerificationError,
} from '../../src/index.js';
import { AlreadyHandledError } from '../../src/webhooks/errors.js';

const stop: NextStep = { action: 'stop' };
const hold: NextStep = { action: 'hold' };
const review: NextStep = { action: 'review' };
const retry = (afterMs: number): NextStep => ({ action: 'retry', afterMs });
const resume = (afterMs: number): NextStep => ({ action: 'resume', afterMs });

const answer = { body: '', headers: new Headers() };
const purchase: Purchase = {
  reference: 'TXN-1',
  status: 'pending',
  idempotency_key: 'order-1',
  recipient: '08031234567',
  biller: 'MTN',
  amount: 100,
  channel: 'API_GATEWAY',
  currency: 'NGN',
  created_at: '2026-01-31 09:30:00',
};
const doubt = { mayHaveCharged: true };

describe('nextStep: certainly not charged', () => {
  it.each<[string, BillPayError, NextStep]>([
    ['BadRequestError', new BadRequestError('', { status: 400, ...answer }), stop],
    ['AuthenticationError', new AuthenticationError('', { status: 401, ...answer }), hold],
    ['InsufficientBalanceError', new InsufficientBalanceError('', { status: 402, ...answer }), hold],
    ['PermissionError', new PermissionError('', { status: 403, ...answer }), hold],
    ['AccountRestrictedError', new AccountRestrictedError('', { status: 403, ...answer }), hold],
    ['NotFoundError', new NotFoundError('', { status: 404, ...answer }), stop],
    ['MethodNotAllowedError', new MethodNotAllowedError('', { status: 405, ...answer }), stop],
    ['AlreadyProcessingError', new AlreadyProcessingError('', { status: 409, ...answer }), retry(30_000)],
    ['ValidationError', new ValidationError('', { errors: { amount: 'is required' } }), stop],
    ['AmountMismatchError', new AmountMismatchError('', { status: 422, ...answer }), stop],
    ['VerificationFailedError', new VerificationFailedError('', { status: 422, ...answer }), stop],
    ['UnresolvableFieldError', new UnresolvableFieldError('', { status: 422, ...answer }), stop],
    ['RateLimitError', new RateLimitError('', { status: 429, retryAfterSeconds: 7 }), retry(7000)],
    ['RateLimitError, at once', new RateLimitError('', { status: 429, retryAfterSeconds: 0 }), retry(0)],
    ['RateLimitError without a time', new RateLimitError('', { status: 429 }), retry(60_000)],
    ['ServerError', new ServerError('', { status: 500, ...answer }), retry(30_000)],
    ['ProviderUnavailableError', new ProviderUnavailableError('', { status: 503 }), retry(60_000)],
    ['QueueUnavailableError', new QueueUnavailableError('', { status: 503 }), retry(30_000)],
    ['PermissionError, found locally', new PermissionError('', { code: 'GATEWAY_ERROR' }), hold],
    ['ApiError 402', new ApiError('', { status: 402, ...answer }), hold],
    ['ApiError 403', new ApiError('', { status: 403, ...answer }), hold],
    ['ApiError 408', new ApiError('', { status: 408, ...answer }), retry(30_000)],
    ['ApiError 425', new ApiError('', { status: 425, ...answer }), retry(30_000)],
    ['ApiError 418', new ApiError('', { status: 418, ...answer }), stop],
    ['ApiError without a status', new ApiError(''), stop],
    ['AlreadyHandledError', new AlreadyHandledError(), stop],
    ['ConnectionError', new ConnectionError(''), retry(5000)],
    ['TimeoutError', new TimeoutError(''), retry(5000)],
    ['AbortError', new AbortError(''), retry(0)],
    ['UnexpectedResponseError', new UnexpectedResponseError('', { status: 200 }), retry(30_000)],
    ['IdempotencyKeyReusedError', new IdempotencyKeyReusedError('', { purchase }), review],
    ['ConfigurationError', new ConfigurationError('timeout', 'must be more'), hold],
    ['WebhookVerificationError', new WebhookVerificationError('signature_mismatch', ''), stop],
    ['BillPayError', new BillPayError(''), stop],
  ])('%s', (_name, error, step) => {
    expect(nextStep(error)).toEqual(step);
  });
});

describe('nextStep: possibly charged, always resumed', () => {
  it.each<[string, BillPayError, NextStep]>([
    ['BadRequestError', new BadRequestError('', { status: 400, ...doubt }), resume(30_000)],
    ['AuthenticationError', new AuthenticationError('', { status: 401, ...doubt }), resume(30_000)],
    ['InsufficientBalanceError', new InsufficientBalanceError('', { status: 402, ...doubt }), resume(30_000)],
    ['PermissionError', new PermissionError('', { status: 403, ...doubt }), resume(30_000)],
    ['AccountRestrictedError', new AccountRestrictedError('', { status: 403, ...doubt }), resume(30_000)],
    ['NotFoundError', new NotFoundError('', { status: 404, ...doubt }), resume(30_000)],
    ['MethodNotAllowedError', new MethodNotAllowedError('', { status: 405, ...doubt }), resume(30_000)],
    ['AlreadyProcessingError', new AlreadyProcessingError('', { status: 409, ...doubt }), resume(2000)],
    ['ValidationError', new ValidationError('', { status: 422, ...doubt }), resume(30_000)],
    ['AmountMismatchError', new AmountMismatchError('', { status: 422, ...doubt }), resume(30_000)],
    ['VerificationFailedError', new VerificationFailedError('', { status: 422, ...doubt }), resume(30_000)],
    ['UnresolvableFieldError', new UnresolvableFieldError('', { status: 422, ...doubt }), resume(30_000)],
    ['RateLimitError', new RateLimitError('', { status: 429, ...doubt }), resume(60_000)],
    ['RateLimitError, soon', new RateLimitError('', { retryAfterSeconds: 7, ...doubt }), resume(30_000)],
    ['RateLimitError, late', new RateLimitError('', { retryAfterSeconds: 90, ...doubt }), resume(90_000)],
    ['ServerError', new ServerError('', { status: 500, ...doubt }), resume(30_000)],
    ['ProviderUnavailableError', new ProviderUnavailableError('', { status: 503, ...doubt }), resume(30_000)],
    ['QueueUnavailableError', new QueueUnavailableError('', { status: 503, ...doubt }), resume(30_000)],
    ['ApiError', new ApiError('', { status: 425, ...doubt }), resume(30_000)],
    ['ConnectionError', new ConnectionError('', doubt), resume(30_000)],
    ['TimeoutError', new TimeoutError('', doubt), resume(30_000)],
    ['AbortError', new AbortError('', doubt), resume(30_000)],
    ['UnexpectedResponseError', new UnexpectedResponseError('', doubt), resume(30_000)],
    ['BillPayError', new BillPayError('', doubt), resume(30_000)],
  ])('%s', (_name, error, step) => {
    expect(nextStep(error)).toEqual(step);
  });
});

describe('nextStep: a key of another purchase', () => {
  it('is reviewed by a person, although money may have moved', () => {
    expect(nextStep(new IdempotencyKeyReusedError('', { purchase, ...doubt }))).toEqual(review);
  });
});

describe('nextStep: values that say nothing about money are resumed', () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each<[string, unknown]>([
    ['a plain error', new Error('the database is away')],
    ['a TypeError', new TypeError('fetch failed')],
    ['something that only looks like one', { name: 'ValidationError', mayHaveCharged: false }],
    ['a text', 'INSUFFICIENT_BALANCE'],
    ['undefined', undefined],
    ['null', null],
    ['a revoked proxy', revoked.proxy],
  ])('%s', (_name, thrown) => {
    expect(nextStep(thrown)).toEqual(resume(30_000));
  });
});
