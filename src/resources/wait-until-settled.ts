import { isSettled, type SettledTransaction, type Transaction } from '../contract/responses.js';
import { AbortError, TimeoutError, UnexpectedResponseError } from '../errors/call-errors.js';
import { isBillPayError } from '../errors/index.js';
import { nextStep } from '../errors/next-step.js';
import type { CallOptions } from '../options.js';
import { limitPauseMs } from '../pacing/tickets.js';
import { callSafely, once } from '../utils/functions.js';
import { readProperty } from '../utils/unknown.js';
import { wait } from '../utils/wait.js';
import {
  fn,
  ms,
  type OptionShape,
  oneOf,
  optional,
  optionsOf,
  parseOptions,
  signal,
  withDefault,
} from '../validation/options.js';

/** Options for `transactions.waitUntilSettled`. */
export interface WaitOptions {
  /**
   * ms until the last status check, after which the wait ends with a `TimeoutError`. That one may take 2,000 ms more. The status is
   * checked at least once, however short this is. Default 600,000 (10 minutes).
   */
  timeout?: number | undefined;
  /**
   * ms until the first status check, give or take a fifth; each further wait is 1.5 times as long, up to 30,000. Default 2,000: slow enough for
   * several processes to share 60 requests a minute.
   */
  interval?: number | undefined;
  /**
   * What to do with a purchase that failed and is not refunded yet. `wait` (default) continues until the wallet has the money back, or the
   * time-out; `ignore` resolves at once with `refunded: false`.
   */
  refund?: 'wait' | 'ignore' | undefined;
  /** Ends the wait at once. Default: none. */
  signal?: AbortSignal | undefined;
  /** Called with the transaction after each status check. If it throws, the wait continues all the same. Default: none. */
  onUpdate?: ((transaction: Transaction) => void) | undefined;
}

const operation = 'transactions.waitUntilSettled';

const schema = once(() =>
  optionsOf({
    timeout: withDefault(ms(), 600_000),
    interval: withDefault(ms(), 2000),
    refund: withDefault(oneOf(['wait', 'ignore']), 'wait'),
    signal: optional(signal()),
    onUpdate: optional(fn<NonNullable<WaitOptions['onUpdate']>>(' that takes a transaction')),
  } satisfies OptionShape<WaitOptions>),
);

/** How long the status check at the time-out may take, in ms: more than a healthy service needs, and little beside the shortest sensible time-out. */
const lastCheckMs = 2000;

/**
 * The wait before status check `n` (1 for the first), in ms: growing by half up to 30 s, with up to a fifth of jitter either way.
 *
 * @param random - in [0, 1).
 */
export function checkWaitMs(n: number, first: number, random: number): number {
  return Math.round(Math.min(first * 1.5 ** (n - 1), Math.max(30_000, first)) * (0.8 + 0.4 * random));
}

/** Whether a failed status check may be followed by another. A response about another transaction ends the wait. */
export const mayPass = (error: unknown): boolean =>
  isBillPayError(error) &&
  nextStep(error).action === 'retry' &&
  !(error instanceof UnexpectedResponseError && error.otherReference !== undefined);

/** Whether nothing more is expected of a transaction: it was delivered, or it failed and the wallet has the money back. */
const isOver = (transaction: Transaction, refund: 'wait' | 'ignore'): transaction is SettledTransaction =>
  isSettled(transaction) &&
  (transaction.transaction_status === 'success' || transaction.refunded === true || refund === 'ignore');

/** Waits and checks the status, until it has settled or the time is up; then a last time, because it may have settled meanwhile. */
export async function waitUntilSettled(
  checkStatus: (options: CallOptions) => Promise<Transaction>,
  given: WaitOptions = {},
): Promise<SettledTransaction> {
  const { timeout, interval, refund, signal, onUpdate } = parseOptions(schema(), given, {
    owner: 'waitUntilSettled',
  });
  const deadline = performance.now() + timeout;
  let last: Transaction | undefined;
  let attempts = 0;
  let cause: unknown;
  const abort = () =>
    new AbortError(`${operation} was aborted by its signal.`, {
      operation,
      attempts,
      cause: readProperty(signal, 'reason'),
    });

  for (let minimumMs = 0, isLast = false; !isLast; ) {
    const pause = Math.max(checkWaitMs(attempts + 1, interval, Math.random()), minimumMs);
    const timeLeft = Math.max(0, deadline - performance.now());
    await wait(Math.min(pause, timeLeft), signal);
    if (signal?.aborted) throw abort();
    // A service that asked to be left alone for longer than this wait lasts is not asked again.
    if (minimumMs > timeLeft) break;
    isLast = pause >= timeLeft;
    attempts++;
    try {
      const totalTimeout = isLast ? lastCheckMs : Math.max(1, deadline - performance.now());
      const seen = await checkStatus({ signal, totalTimeout, maxRetries: 0 });
      last = seen;
      cause = undefined;
      callSafely(() => onUpdate?.(seen));
      if (isOver(seen, refund)) return seen;
      minimumMs = 0;
    } catch (error) {
      if (signal?.aborted) throw abort();
      if (!mayPass(error)) throw error;
      cause = error;
      minimumMs = retryAfterMs(error);
    }
  }
  throw new TimeoutError(
    `${operation} gave up after ${timeout} ms and ${attempts} status checks: ${stateOf(last)}`,
    { operation, attempts, transaction: last, cause },
  );
}

function stateOf(last: Transaction | undefined): string {
  const advice =
    'That does not mean that it failed: keep the reference, and let the webhook or a later status check settle it.';
  if (!last) return `no status check succeeded. ${advice}`;
  if (!isSettled(last)) return `the transaction is still ${last.transaction_status}. ${advice}`;
  return "the transaction failed, and the wallet has not been refunded yet. Keep the reference and check again later; refund: 'ignore' does not wait for the refund.";
}

/** How long a 429 response asks to stay away, in ms, and 10 minutes at most. */
const retryAfterMs = (error: unknown): number =>
  isBillPayError(error) && error.name === 'RateLimitError'
    ? limitPauseMs((error.retryAfterSeconds ?? 0) * 1000)
    : 0;
