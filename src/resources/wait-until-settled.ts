import type { Transaction } from '../contract/results.js';
import { ConfigurationError } from '../errors/configuration.js';
import { isBillPayError } from '../errors/index.js';
import { AbortError, TimeoutError } from '../errors/no-answer.js';
import { wait } from '../http/wait.js';
import { type CallOptions, checkedMs, checkedSignal, refuseUnknownNames } from '../options.js';

/** How to wait for a transaction's end. */
export interface WaitOptions {
  /** ms until the wait gives up with a `TimeoutError`. Default 600,000 (10 minutes). */
  timeout?: number | undefined;
  /** ms until the first look, give or take a fifth. Default 2,000; each further wait is half as long again, to 30,000. */
  interval?: number | undefined;
  /** Ends the wait at once. */
  signal?: AbortSignal | undefined;
  /** Told the transaction at each look. One that throws never breaks the wait. */
  onUpdate?: ((transaction: Transaction) => void) | undefined;
}

const operation = 'transactions.waitUntilSettled';
const optionNames: readonly (keyof WaitOptions)[] = ['timeout', 'interval', 'signal', 'onUpdate'];

/** The longest wait between looks, unless the first is longer: several pollers share 60 requests a minute. */
const longestIntervalMs = 30_000;

/**
 * The wait before look `n` (1 for the first), in ms: growing by half, a fifth of it at random either way.
 *
 * @param random - in [0, 1).
 */
export function lookWaitMs(n: number, intervalMs: number, random: number): number {
  const grown = Math.min(intervalMs * 1.5 ** (n - 1), Math.max(longestIntervalMs, intervalMs));
  return Math.round(grown * (0.8 + 0.4 * random));
}

/** Whether a failed look may be followed by another. */
export function mayPass(error: unknown): boolean {
  if (!isBillPayError(error)) return false;
  switch (error.name) {
    case 'ConnectionError':
    case 'TimeoutError':
    case 'RateLimitError':
    case 'ServerError':
    case 'ProviderUnavailableError':
    case 'QueueUnavailableError':
    case 'UnexpectedResponseError':
      return true;
    default:
      return false;
  }
}

/** Only these two are final; whatever else a service may say, the wallet's fate is open. */
const isSettled = ({ transaction_status }: Transaction): boolean =>
  transaction_status === 'success' || transaction_status === 'failed';

/** The loop: wait, look, until the transaction has settled or the time is up. */
export async function waitUntilSettled(
  look: (options: CallOptions) => Promise<Transaction>,
  given: WaitOptions = {},
): Promise<Transaction> {
  const { timeout, interval, signal, onUpdate } = checked(given);
  const startedAt = performance.now();
  const remaining = () => timeout - (performance.now() - startedAt);
  let last: Transaction | undefined;
  let looks = 0;
  let cause: unknown;

  const abort = (by: AbortSignal) =>
    new AbortError(`${operation} was aborted by its signal.`, {
      operation,
      attempts: looks,
      cause: by.reason,
    });

  for (let floorMs = 0; ; ) {
    const pause = Math.max(lookWaitMs(looks + 1, interval, Math.random()), floorMs);
    const timeLeft = Math.max(0, remaining());
    const goesOn = await wait(Math.min(pause, timeLeft), signal);
    if (!goesOn && signal) throw abort(signal);
    if (pause >= timeLeft) break;
    looks++;
    try {
      last = await look({ signal, deadline: remaining(), maxRetries: 0 });
      cause = undefined;
      tell(onUpdate, last);
      if (isSettled(last)) return last;
      floorMs = 0;
    } catch (error) {
      if (signal?.aborted) throw abort(signal);
      if (!mayPass(error)) throw error;
      cause = error;
      floorMs =
        isBillPayError(error) && error.name === 'RateLimitError' ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    }
  }
  const state = last ? `it is still ${last.transaction_status}` : 'no look succeeded';
  throw new TimeoutError(
    `${operation} gave up after ${timeout} ms and ${looks} looks: ${state}. That is not failed: keep the reference, and let the webhook or a later look settle it.`,
    { operation, attempts: looks, transaction: last, cause },
  );
}

function checked(given: WaitOptions) {
  if (typeof given !== 'object' || given === null) {
    throw new ConfigurationError('options', 'must be an object, such as { timeout: 60_000 }');
  }
  refuseUnknownNames(given, optionNames, 'waitUntilSettled');
  const { onUpdate } = given;
  if (onUpdate !== undefined && typeof onUpdate !== 'function') {
    throw new ConfigurationError('onUpdate', 'must be a function that takes a transaction');
  }
  return {
    timeout: checkedMs('timeout', given.timeout, 600_000),
    interval: checkedMs('interval', given.interval, 2000),
    signal: checkedSignal(given.signal),
    onUpdate,
  };
}

function tell(onUpdate: WaitOptions['onUpdate'], transaction: Transaction): void {
  try {
    onUpdate?.(transaction);
  } catch {
    // What a caller draws on a screen must not lose sight of the money.
  }
}
