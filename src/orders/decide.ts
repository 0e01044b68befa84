import { isBillPayError } from '../errors/index.js';
import { classify, nextStep } from '../errors/next-step.js';
import { patternRedactor } from '../redaction/redactor.js';
import { nameOfThrown } from '../utils/is-error.js';
import type { OrderError, StoredOrder } from './order.js';
import type { OrderRank } from './queues/queue.js';
import { isFinal, type OrderEvent, type OrderState } from './states.js';

/** The times and limits that decisions depend on, in ms. */
export interface OrderPolicy {
  /** How long one attempt to buy may take before another process continues. Longer than the call's own `totalTimeout`. */
  readonly lease: number;
  /** When an accepted order is first looked up. */
  readonly lookUpAfter: number;
  /** How long an accepted order may stay without an end before a person must look. */
  readonly settleWithin: number;
  /** How long an order may be in doubt before a person must look. */
  readonly reviewAfter: number;
  /** How many attempts to buy are made before a person must look. */
  readonly maxAttempts: number;
  /** Replaces every wait between tries. */
  readonly retryDelay?: ((n: number) => number | undefined) | undefined;
}

/** What a worker does with an order that is due. */
export type OrderAction = 'buy' | 'lookUp' | 'none';

/** What is to be done with an order in its state. `buying` is due only when the lease of its process has ended. */
export function actionFor({ state }: Pick<StoredOrder, 'state'>): OrderAction {
  if (isFinal(state) || state === 'review') return 'none';
  return state === 'accepted' ? 'lookUp' : 'buy';
}

/** Which orders are worked on first: those in doubt, then new ones, then lookups, so that no customer waits behind a backlog of lookups. */
export function rankOf(state: OrderState): OrderRank {
  if (state === 'accepted') return 'lookUp';
  return state === 'placed' || state === 'held' ? 'new' : 'doubt';
}

/**
 * Whether a person must look before another attempt is made: the attempts are used up, or the doubt has lasted for longer than
 * `reviewAfter`. After `retry`, which sets `tries` to 0, one attempt is made all the same.
 */
export function isExhausted(
  { tries, doubted, doubtedForMs }: Pick<StoredOrder, 'tries' | 'doubted' | 'doubtedForMs'>,
  { maxAttempts, reviewAfter }: Pick<OrderPolicy, 'maxAttempts' | 'reviewAfter'>,
): boolean {
  return tries >= maxAttempts || (tries > 0 && doubted && doubtedForMs > reviewAfter);
}

/** What an attempt that did not succeed means for its order. */
export interface FailedAttempt {
  readonly event: Extract<OrderEvent, 'doubt' | 'defer' | 'hold' | 'refuse' | 'review'>;
  /** ms until the order is due again; undefined for never. */
  readonly dueInMs: number | undefined;
  /** Whether this attempt leaves the order in doubt. */
  readonly doubted: boolean;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const longestBackoffMs = 15 * minuteMs;

/**
 * The wait before try `n` (1 for the first): doubling from `firstMs` up to 15 minutes, between half of it and all of it at random, so
 * that orders which failed together do not come back together.
 *
 * @param random - in [0, 1).
 */
export function backoffMs(n: number, firstMs: number, random: number): number {
  return spreadMs(Math.min(longestBackoffMs, firstMs * 2 ** Math.min(n - 1, 20)), random);
}

/** A wait between half of `d` and all of it. */
const spreadMs = (d: number, random: number): number => Math.round(d / 2 + (random * d) / 2);

/** The wait before the next order tries while an account is at fault: a minute, doubling up to 15 minutes. */
export const accountWaitMs = (n: number): number =>
  Math.min(longestBackoffMs, minuteMs * 2 ** Math.min(n - 1, 20));

/**
 * What an attempt says about the account: `fault` for an error that every other order would meet as well (401, 402, 403 of the service, or
 * a wrong option), `right` for a purchase or a refusal of this order alone, `unclear` for anything else.
 */
export function accountVerdict(error: unknown): 'fault' | 'right' | 'unclear' {
  const kind = classify(error);
  if (kind === 'configuration') return 'fault';
  const code = isBillPayError(error) ? error.code : undefined;
  // A page of a proxy or firewall has no code of the service.
  if (code === undefined) return 'unclear';
  if (kind === 'wallet' || kind === 'access') return 'fault';
  return kind === 'rejected' && Reflect.get(Object(error), 'status') === 422 ? 'right' : 'unclear';
}

/**
 * What follows from a failed attempt to buy: a pure function of the error and of the order.
 *
 * | `nextStep` | event | due again |
 * |---|---|---|
 * | resume | doubt | after its wait, at least the backoff |
 * | retry | defer | after its wait, at least the backoff; at the latest when the order expires |
 * | hold | hold | as soon as the account lets it try; after about a minute where the error is not certain to be the account's |
 * | review | review | never |
 * | stop | refuse; in doubt, doubt | never; in doubt, after the backoff |
 *
 * An order that has been in doubt for longer than `reviewAfter`, or that has used up its attempts, goes to review. An account at fault
 * uses up no attempts: the order waits for as long as that takes.
 */
export function afterFailedAttempt(
  error: unknown,
  order: Pick<StoredOrder, 'tries' | 'doubted' | 'doubtedForMs' | 'expiresInMs'>,
  policy: Pick<OrderPolicy, 'maxAttempts' | 'reviewAfter' | 'retryDelay'>,
  random: number,
): FailedAttempt {
  const step = nextStep(error);
  const n = order.tries + 1;
  const given = policy.retryDelay?.(n);
  const waitOr = (ms: number) => (given === undefined ? ms : spreadMs(given, random));
  const wait = (ms: number) => waitOr(Math.max(ms, backoffMs(n, 5 * secondMs, random)));
  // An order that is not bought in time ends when that is over, and not after a longer wait.
  const leftMs = Math.max(0, order.expiresInMs ?? Number.POSITIVE_INFINITY);
  const isTooOld = order.doubtedForMs > policy.reviewAfter;
  const usedUp = n >= policy.maxAttempts;
  const inDoubt = (afterMs: number): FailedAttempt =>
    usedUp || isTooOld
      ? { event: 'review', dueInMs: undefined, doubted: true }
      : { event: 'doubt', dueInMs: wait(afterMs), doubted: true };
  const isFault = accountVerdict(error) === 'fault';
  const held = (doubted: boolean): FailedAttempt => {
    if (doubted && isTooOld) return { event: 'review', dueInMs: undefined, doubted };
    // An account at fault lets one order try at a time: what it held is due when it lets all continue.
    return { event: 'hold', dueInMs: isFault ? 0 : waitOr(backoffMs(1, minuteMs, random)), doubted };
  };
  switch (step.action) {
    case 'review':
      return { event: 'review', dueInMs: undefined, doubted: true };
    case 'resume':
      return isFault ? held(true) : inDoubt(step.afterMs);
    case 'hold':
      return held(order.doubted);
    case 'retry':
      if (order.doubted) return inDoubt(step.afterMs);
      return usedUp
        ? { event: 'review', dueInMs: undefined, doubted: false }
        : { event: 'defer', dueInMs: Math.min(wait(step.afterMs), leftMs), doubted: false };
    case 'stop':
      return order.doubted ? inDoubt(minuteMs) : { event: 'refuse', dueInMs: undefined, doubted: false };
  }
}

const longestLookMs = 60 * minuteMs;
/** Lookups a minute, of the 60 requests a minute that the service allows: the others are left to purchases and catalogues. */
const lookUpsPerMinute = 30;

/**
 * The wait before the next look at an accepted order: doubling from `lookUpAfter` up to an hour, and up to a quarter longer at random, so
 * that each wait is at least as long as the one before. With many accepted orders the waits are so long that all lookups together
 * stay within half of the rate limit.
 *
 * @param looks - how many looks were made before this one is.
 * @param accepted - how many orders wait to be settled.
 */
export function nextLookMs(
  looks: number,
  { lookUpAfter }: Pick<OrderPolicy, 'lookUpAfter'>,
  accepted: number,
  random: number,
): number {
  const longest = Math.max(longestLookMs, lookUpAfter);
  const d = Math.min(longest, lookUpAfter * 2 ** Math.min(looks + 1, 20));
  return Math.round(Math.max(d, (accepted / lookUpsPerMinute) * minuteMs) * (1 + random / 4));
}

/** What is stored of an error: never a body, a header or a secret that the redactor knows. */
export function describeError(error: unknown, redactor = patternRedactor): OrderError {
  if (isBillPayError(error)) {
    const { name, code, message } = error;
    const status: unknown = Reflect.get(error, 'status');
    return {
      name,
      message: redactor.known(message),
      ...(code !== undefined && { code: String(code) }),
      ...(typeof status === 'number' && { status }),
    };
  }
  const message = redactor.cause(error)?.message ?? 'Nothing was thrown with the rejection.';
  return { name: nameOfThrown(error), message };
}
