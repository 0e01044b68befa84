import * as z from 'zod/mini';
import { isSettled, type SettledTransaction, type Transaction } from '../contract/responses.js';
import { isBillPayError } from '../errors/index.js';
import { AbortError, TimeoutError } from '../errors/network-errors.js';
import { classify } from '../errors/next-step.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import type { CallOptions } from '../options.js';
import { limitPauseMs } from '../pacing/pause.js';
import { callSafely } from '../utils/call-safely.js';
import { onAbort } from '../utils/on-abort.js';
import { once } from '../utils/once.js';
import { readProperty } from '../utils/read-property.js';
import { wait } from '../utils/wait.js';
import { fn, ms, oneOf, signal, withMethods } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';

/** Resolves when a webhook for a reference has arrived. `createSettlementEvents()` of `billpay/webhooks` makes one. */
export interface SettlementSource {
  /** Resolves with the event of a reference; rejects when the signal is aborted. */
  next(reference: string, signal?: AbortSignal): Promise<unknown>;
}

/** Options for `transactions.waitUntilSettled`. */
export interface WaitOptions {
  /**
   * ms until the last status lookup, after which the wait ends with a `TimeoutError`. That lookup may take 2,000 ms more. The status is looked
   * up at least once, however short this is. Default 600,000 (10 minutes).
   */
  timeout?: number | undefined;
  /**
   * ms until the first status lookup, give or take a fifth; each further wait is 1.5 times as long. Default 2,000, growing to 30,000; with
   * `events` 10,000, growing to 60,000.
   */
  interval?: number | undefined;
  /**
   * What to do with a sale that failed and is not refunded yet. `wait` (default) continues until the wallet has the money back, or the
   * time-out; `ignore` resolves at once with `refunded: false`.
   */
  refund?: 'wait' | 'ignore' | undefined;
  /**
   * Settlement events that a webhook receiver in this process publishes (`createSettlementEvents` of `billpay/webhooks`): the wait then ends
   * with the webhook, confirmed by one status lookup, and polling is only the fallback.
   */
  events?: SettlementSource | undefined;
  /** Ends the wait at once. */
  signal?: AbortSignal | undefined;
  /** Called with the transaction after each status lookup. If it throws, the wait continues all the same. */
  onUpdate?: ((transaction: Transaction) => void) | undefined;
}

const operation = 'transactions.waitUntilSettled';

const schema = once(() =>
  optionsOf({
    timeout: z._default(ms(), 600_000),
    interval: z.optional(ms()),
    refund: z._default(oneOf(['wait', 'ignore']), 'wait'),
    events: z.optional(
      withMethods<SettlementSource>(['next'], 'must be made by createSettlementEvents() of billpay/webhooks'),
    ),
    signal: z.optional(signal()),
    onUpdate: z.optional(fn<NonNullable<WaitOptions['onUpdate']>>(' that takes a transaction')),
  } satisfies OptionShape<WaitOptions>),
);

/** Waits between lookups, in ms. */
interface Pace {
  readonly first: number;
  readonly longest: number;
}

/** Slow enough for several pollers to share 60 requests a minute. */
const paces: Record<'alone' | 'withEvents', Pace> = {
  alone: { first: 2000, longest: 30_000 },
  withEvents: { first: 10_000, longest: 60_000 },
};

/** How long the lookup at the time-out may take, in ms: more than a healthy service needs, and little beside the shortest sensible time-out. */
const lastLookMs = 2000;

/**
 * The wait before lookup `n` (1 for the first), in ms: growing by half up to `longest`, with up to a fifth of jitter either way.
 *
 * @param random - in [0, 1).
 */
export function lookWaitMs(n: number, { first, longest }: Pace, random: number): number {
  return Math.round(Math.min(first * 1.5 ** (n - 1), Math.max(longest, first)) * (0.8 + 0.4 * random));
}

/** Whether a failed lookup may be followed by another. A response about another transaction ends the wait. */
export const mayPass = (error: unknown): boolean =>
  classify(error) === 'transient' &&
  !(error instanceof UnexpectedResponseError && error.otherReference !== undefined);

/** Whether nothing more is expected of a transaction: it was delivered, or it failed and the wallet has the money back. */
const isOver = (transaction: Transaction, refund: 'wait' | 'ignore'): transaction is SettledTransaction =>
  isSettled(transaction) &&
  (transaction.transaction_status === 'success' || transaction.refunded === true || refund === 'ignore');

/** Waits and looks the transaction up, until it has settled or the time is up; then it looks a last time, because it may have settled meanwhile. */
export async function waitUntilSettled(
  reference: string,
  lookUp: (options: CallOptions) => Promise<Transaction>,
  given: WaitOptions = {},
): Promise<SettledTransaction> {
  const { timeout, interval, refund, events, signal, onUpdate } = parseOptions(schema(), given, {
    owner: 'waitUntilSettled',
  });
  const paceOf = (pace: Pace): Pace => ({ ...pace, first: interval ?? pace.first });
  let pace = paceOf(events ? paces.withEvents : paces.alone);
  const startedAt = performance.now();
  const remaining = () => timeout - (performance.now() - startedAt);
  let last: Transaction | undefined;
  let lookups = 0;
  let cause: unknown;
  const unlisten = new AbortController();
  // Use the webhook at most once: if the lookup that confirms it does not succeed, polling continues at the pace of a wait without events.
  let webhook = events?.next(reference, unlisten.signal).catch(() => {});

  const abort = (by: AbortSignal) =>
    new AbortError(`${operation} was aborted by its signal.`, {
      operation,
      attempts: lookups,
      cause: readProperty(by, 'reason'),
    });

  try {
    for (let minimumMs = 0, isLast = false; !isLast; ) {
      const pause = Math.max(lookWaitMs(lookups + 1, pace, Math.random()), minimumMs);
      const timeLeft = Math.max(0, remaining());
      const woken = await pauseFor(Math.min(pause, timeLeft), signal, webhook);
      if (signal?.aborted) throw abort(signal);
      if (woken) {
        webhook = undefined;
        pace = paceOf(paces.alone);
      } else {
        // A service that asked to be left alone for longer than this wait lasts is not asked again.
        if (minimumMs > timeLeft) break;
        isLast = pause >= timeLeft;
      }
      lookups++;
      try {
        const totalTimeout = isLast ? lastLookMs : Math.max(1, remaining());
        const seen = await lookUp({ signal, totalTimeout, maxRetries: 0 });
        last = seen;
        cause = undefined;
        callSafely(() => onUpdate?.(seen));
        if (isOver(seen, refund)) return seen;
        minimumMs = 0;
      } catch (error) {
        if (signal?.aborted) throw abort(signal);
        if (!mayPass(error)) throw error;
        cause = error;
        minimumMs = retryAfterMs(error);
      }
    }
  } finally {
    unlisten.abort();
  }
  throw new TimeoutError(
    `${operation} gave up after ${timeout} ms and ${lookups} lookups: ${stateOf(last)}`,
    {
      operation,
      attempts: lookups,
      transaction: last,
      cause,
    },
  );
}

function stateOf(last: Transaction | undefined): string {
  const advice =
    'That does not mean that it failed: keep the reference, and let the webhook or a later lookup settle it.';
  if (!last) return `no lookup succeeded. ${advice}`;
  if (!isSettled(last)) return `the transaction is still ${last.transaction_status}. ${advice}`;
  return "the transaction failed, and the wallet has not been refunded yet. Keep the reference and look again later; refund: 'ignore' does not wait for the refund.";
}

/** How long a 429 response asks to stay away, in ms, and 10 minutes at most. */
const retryAfterMs = (error: unknown): number =>
  isBillPayError(error) && error.name === 'RateLimitError'
    ? limitPauseMs((error.retryAfterSeconds ?? 0) * 1000)
    : 0;

/** Waits `ms`, or until `wake` resolves (then it returns true), or until the signal is aborted. */
async function pauseFor(ms: number, signal: AbortSignal | undefined, wake: Promise<unknown> | undefined) {
  if (!wake) {
    await wait(ms, signal);
    return false;
  }
  const over = new AbortController();
  const stop = () => over.abort();
  const stopListening = onAbort(signal, stop);
  if (signal?.aborted) stop();
  try {
    return await Promise.race([wait(ms, over.signal).then(() => false), wake.then(() => true)]);
  } finally {
    stopListening();
    stop();
  }
}
