import { describe, expect, it } from 'vitest';
import { classify } from '../../src/errors/classify.js';
import type { ErrorKind } from '../../src/errors/error-responses.js';
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
  NotFoundError,
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
import { AlreadyHandledError, RetryLaterError } from '../../src/webhooks/errors.js';

const purchase = { reference: 'TXN-1' } as Purchase;

describe('classify', () => {
  it.each<[ErrorKind, BillPayError]>([
    ['transient', new RetryLaterError()],
    ['transient', new ConnectionError('')],
    ['transient', new TimeoutError('')],
    ['transient', new RateLimitError('')],
    ['transient', new ServerError('')],
    ['transient', new ProviderUnavailableError('')],
    ['transient', new QueueUnavailableError('')],
    ['transient', new UnexpectedResponseError('')],
    ['transient', new ApiError('', { status: 408 })],
    ['transient', new ApiError('', { status: 425 })],
    ['in-progress', new AlreadyProcessingError('')],
    ['aborted', new AbortError('')],
    ['wallet', new InsufficientBalanceError('', { status: 402 })],
    ['wallet', new ApiError('', { status: 402 })],
    ['access', new AuthenticationError('', { status: 401 })],
    ['access', new PermissionError('', { status: 403 })],
    ['access', new PermissionError('')],
    ['access', new AccountRestrictedError('', { status: 403 })],
    ['access', new ApiError('', { status: 403 })],
    ['endpoint', new NotFoundError('', { status: 404 })],
    ['endpoint', new MethodNotAllowedError('', { status: 405 })],
    ['reused-key', new IdempotencyKeyReusedError('', { purchase })],
    ['rejected', new BadRequestError('', { status: 400 })],
    ['rejected', new ValidationError('')],
    ['rejected', new AmountMismatchError('', { status: 422 })],
    ['rejected', new VerificationFailedError('', { status: 422 })],
    ['rejected', new UnresolvableFieldError('', { status: 422 })],
    ['rejected', new ApiError('', { status: 418 })],
    ['rejected', new ApiError('')],
    ['configuration', new ConfigurationError('timeout', 'must be more')],
    ['rejected', new WebhookVerificationError('signature_mismatch', '')],
    ['rejected', new AlreadyHandledError()],
    ['rejected', new BillPayError('')],
  ])('%s: %o', (kind, error) => {
    expect(classify(error)).toBe(kind);
  });

  it('does not depend on whether money may have moved', () => {
    expect(classify(new AuthenticationError('', { status: 401, mayHaveCharged: true }))).toBe('access');
  });

  it('goes by the class first: a status decides only for a plain ApiError', () => {
    expect(classify(new BadRequestError('', { status: 408 }))).toBe('rejected');
  });

  it('classifies a subclass of the caller as what it derives from', () => {
    class ShopServerError extends ServerError {}
    expect(classify(new ShopServerError('closed'))).toBe('transient');
  });

  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each<[string, unknown]>([
    ['a plain error', new Error('the database is down')],
    ['an object that only looks like one', { name: 'ServerError' }],
    ['text', 'INSUFFICIENT_BALANCE'],
    ['undefined', undefined],
    ['a revoked proxy', revoked.proxy],
  ])('foreign: %s', (_, value) => {
    expect(classify(value)).toBe('foreign');
  });
});
