import type { AttemptBounds, WireRequest } from './attempt.js';
import type { AttemptOutcome } from './outcome.js';

/**
 * Sends a request once and tells how that ended, bounds kept, redirects not followed, the body read up to the cap.
 * Rejects only with `ConfigurationError`, for what it cannot send at all.
 */
export type Attempt = (request: WireRequest, bounds: Omit<AttemptBounds, 'fetch'>) => Promise<AttemptOutcome>;

/**
 * Where a `fetch` keeps an attempt of its own. Through it the core does without Response, Headers and AbortController, and
 * learns what fetch has no words for: whether any byte of the request left. By name, because the ESM and CommonJS copies of
 * this package may meet.
 */
export const attemptKey: unique symbol = Symbol.for('billpay.attempt');

/** The attempt behind a `fetch`, where it has one. */
export function attemptOf(fetch: typeof globalThis.fetch | undefined): Attempt | undefined {
  const attempt: unknown = fetch && Reflect.get(fetch, attemptKey);
  return isAttempt(attempt) ? attempt : undefined;
}

const isAttempt = (value: unknown): value is Attempt => typeof value === 'function';
