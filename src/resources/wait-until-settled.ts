import type { Transaction } from '../contract/responses.js';
import { classify } from '../errors/classify.js';
import { isBillPayError } from '../errors/index.js';
import { AbortError, TimeoutError } from '../errors/network-errors.js';
import type { CallOptions } from '../options.js';
import { callSafely } from '../utils/call-safely.js';
import { onAbort } from '../utils/on-abort.js';
import { wait } from '../utils/wait.js';
import {
  assertOption,
  checkedFunction,
  checkedMs,
  checkedSignal,
  refuseUnknownOptions,
} from '../validation/options.js';
import type { SettlementEvents } from '../webhooks/settlement-events.js';

/** How to wait for a transaction's end. */
export interface WaitOptions {
  /** ms until the wait gives up with a `TimeoutError`. Default 600,000 (10 minutes). */
  timeout?: number | undefined;
  /**
   * ms until the first look, give or take a fifth; each further wait is half as long again. Default 2,000, growing to 30,000; with
   * `events` 10,000, growing to 60,000.
   */
  interval?: number | undefined;
  /**
   * What a webhook receiver in this process feeds (`createSettlementEvents` of `billpay/webhooks`): the wait then ends with the
   * webhook, confirmed by one status lookup, and looking on its own is only the fallback.
   */
  events?: Pick<SettlementEvents, 'next'> | undefined;
  /** Ends the wait at once. */
  signal?: AbortSignal | undefined;
  /** Told the transaction at each look. One that throws never breaks the wait. */
  onUpdate?: ((transaction: Transaction) => void) | undefined;
}

const operation = 'transactions.waitUntilSettled';
const optionNames: readonly (keyof WaitOptions)[] = ['timeout', 'interval', 'events', 'signal', 'onUpdate'];

/** Waits between looks, in ms. */
interface Pace {
  readonly first: number;
  readonly longest: number;
}

/** Gentle, because several pollers share 60 requests a minute. */
const paces: Record<'alone' | 'withEvents', Pace> = {
  alone: { first: 2000, longest: 30_000 },
  withEvents: { first: 10_000, longest: 60_000 },
};

/**
 * The wait before look `n` (1 for the first), in ms: growing by half up to `longest`, a fifth of it at random either way.
 *
 * @param random - in [0, 1).
 */
export function lookWaitMs(n: number, { first, longest }: Pace, random: number): number {
  return Math.round(Math.min(first * 1.5 ** (n - 1), Math.max(longest, first)) * (0.8 + 0.4 * random));
}

/** Whether a failed look may be followed by another. */
export const mayPass = (error: unknown): boolean => classify(error) === 'transient';

/** Only these two are final; whatever else a service may say, the wallet's fate is open. */
const isSettled = ({ transaction_status }: Transaction): boolean =>
  transaction_status === 'success' || transaction_status === 'failed';

/** The loop: wait, look, until the transaction has settled or the time is up. */
export async function waitUntilSettled(
  reference: string,
  look: (options: CallOptions) => Promise<Transaction>,
  given: WaitOptions = {},
): Promise<Transaction> {
  const { timeout, events, signal, onUpdate, ...options } = checked(given);
  let { pace } = options;
  const startedAt = performance.now();
  const remaining = () => timeout - (performance.now() - startedAt);
  let last: Transaction | undefined;
  let looks = 0;
  let cause: unknown;
  const unlisten = new AbortController();
  // Heard once: should the confirming look not succeed, the next ones follow at the pace of a wait without events.
  let webhook = events?.next(reference, unlisten.signal).catch(() => {});

  const abort = (by: AbortSignal) =>
    new AbortError(`${operation} was aborted by its signal.`, {
      operation,
      attempts: looks,
      cause: by.reason,
    });

  try {
    for (let floorMs = 0; ; ) {
      const pause = Math.max(lookWaitMs(looks + 1, pace, Math.random()), floorMs);
      const timeLeft = Math.max(0, remaining());
      const woken = await pauseFor(Math.min(pause, timeLeft), signal, webhook);
      if (signal?.aborted) throw abort(signal);
      if (woken) {
        webhook = undefined;
        pace = paces.alone;
      } else if (pause >= timeLeft) {
        break;
      }
      looks++;
      try {
        const seen = await look({ signal, totalTimeout: Math.max(1, remaining()), maxRetries: 0 });
        last = seen;
        cause = undefined;
        callSafely(() => onUpdate?.(seen));
        if (isSettled(seen)) return seen;
        floorMs = 0;
      } catch (error) {
        if (signal?.aborted) throw abort(signal);
        if (!mayPass(error)) throw error;
        cause = error;
        floorMs = floorAfter(error);
      }
    }
  } finally {
    unlisten.abort();
  }
  const state = last ? `it is still ${last.transaction_status}` : 'no look succeeded';
  throw new TimeoutError(
    `${operation} gave up after ${timeout} ms and ${looks} looks: ${state}. That is not failed: keep the reference, and let the webhook or a later look settle it.`,
    { operation, attempts: looks, transaction: last, cause },
  );
}

/** A 429 says how long to keep away, in ms. */
const floorAfter = (error: unknown): number =>
  isBillPayError(error) && error.name === 'RateLimitError' ? (error.retryAfterSeconds ?? 0) * 1000 : 0;

/** Waits `ms`, or until something wakes it (then true), or until the signal aborts. */
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

function checked(given: WaitOptions) {
  refuseUnknownOptions(given, optionNames, 'waitUntilSettled');
  const { onUpdate, events } = given;
  assertOption(
    events === undefined || typeof events?.next === 'function',
    'events',
    'must be what createSettlementEvents() of billpay/webhooks gives',
  );
  checkedFunction('onUpdate', onUpdate, ' that takes a transaction');
  const pace = events ? paces.withEvents : paces.alone;
  return {
    timeout: checkedMs('timeout', given.timeout, 600_000),
    pace: { ...pace, first: checkedMs('interval', given.interval, pace.first) },
    events,
    signal: checkedSignal(given.signal),
    onUpdate,
  };
}
