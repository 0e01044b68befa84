import { ApiError, type ResponseContext, type UndocumentedCode } from './api-error.js';
import { brand } from './base.js';

/**
 * 409 ALREADY_PROCESSING: a request with this idempotency_key is still in flight. Repeat the call shortly.
 *
 * @example
 * ```ts
 * if (error instanceof AlreadyProcessingError) await queue.later(order.id, 2000, { resume: true });
 * ```
 */
export class AlreadyProcessingError extends ApiError {
  static override readonly [brand]: string = 'AlreadyProcessingError';
  declare readonly name: 'AlreadyProcessingError';
  declare readonly code: 'ALREADY_PROCESSING';
}

/**
 * 429 RATE_LIMITED: one of the service's rate limits is exceeded. With `pacing` also a turn that would come after `totalTimeout` (`status`
 * undefined, `attempts` 0).
 *
 * @example
 * ```ts
 * if (error instanceof RateLimitError) console.log(`again in ${error.retryAfterSeconds} s`);
 * ```
 */
export class RateLimitError extends ApiError {
  static override readonly [brand]: string = 'RateLimitError';
  declare readonly name: 'RateLimitError';
  declare readonly code: 'RATE_LIMITED' | UndocumentedCode | undefined;
  /** Seconds to wait, from `Retry-After` or the body's `retry_after_seconds`; undefined when neither can be read. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, context: ResponseContext & { retryAfterSeconds?: number | undefined } = {}) {
    super(message, context);
    this.retryAfterSeconds = context.retryAfterSeconds;
  }
}

/**
 * 500, 502, 504 and any other 5xx without a class of its own. A purchase may have been charged.
 *
 * @example
 * ```ts
 * if (error instanceof ServerError && error.mayHaveCharged) await queue.later(order.id, 60_000, { resume: true });
 * ```
 */
export class ServerError extends ApiError {
  static override readonly [brand]: string = 'ServerError';
  declare readonly name: 'ServerError';
  declare readonly code: 'GATEWAY_ERROR' | UndocumentedCode | undefined;
}

/**
 * 503 PROVIDER_UNAVAILABLE: the biller cannot be served now. The wallet was not charged.
 *
 * @example
 * ```ts
 * if (error instanceof ProviderUnavailableError) await queue.later(order.id, 300_000); // nothing was charged
 * ```
 */
export class ProviderUnavailableError extends ApiError {
  static override readonly [brand]: string = 'ProviderUnavailableError';
  declare readonly name: 'ProviderUnavailableError';
  declare readonly code: 'PROVIDER_UNAVAILABLE';
}

/**
 * 503 QUEUE_UNAVAILABLE: the purchase could not be accepted. The wallet was not charged.
 *
 * @example
 * ```ts
 * if (error instanceof QueueUnavailableError) await queue.later(order.id, 60_000); // nothing was charged
 * ```
 */
export class QueueUnavailableError extends ApiError {
  static override readonly [brand]: string = 'QueueUnavailableError';
  declare readonly name: 'QueueUnavailableError';
  declare readonly code: 'QUEUE_UNAVAILABLE';
}
