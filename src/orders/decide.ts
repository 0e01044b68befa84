import { isBillPayError } from '../errors/index.js';
import { nextStep, stepIfUncharged } from '../errors/next-step.js';
import { patternRedactor } from '../redaction.js';
import { nameOfThrown } from '../utils/unknown.js';
import type { Order, OrderError } from './order.js';
import type { OrderEvent } from './states.js';

/** The times and limits that decisions depend on: options of `createOrders`. */
export interface OrderPolicy {
  readonly checkAfter: number;
  readonly reviewAfter: number;
  readonly maxAttempts: number;
  readonly retryDelay: ((n: number) => number | undefined) | undefined;
}

/**
 * Whether a person must look before another attempt is made: the attempts are used up, or the order has been unknown for longer
 * than `reviewAfter`. After `retry`, which sets `tries` to 0, one attempt is made all the same.
 */
export function isExhausted(
  { tries, mayHaveCharged, unknownForMs }: Pick<Order, 'tries' | 'mayHaveCharged' | 'unknownForMs'>,
  { maxAttempts, reviewAfter }: Pick<OrderPolicy, 'maxAttempts' | 'reviewAfter'>,
): boolean {
  return tries >= maxAttempts || (tries > 0 && mayHaveCharged && unknownForMs > reviewAfter);
}

/** What an attempt that did not succeed means for its order. */
export interface FailedAttempt {
  readonly event: Extract<OrderEvent, 'unknown' | 'defer' | 'hold' | 'refuse' | 'review'>;
  /** ms until the order is due again; undefined for never. */
  readonly dueInMs: number | undefined;
  /** Whether the order may have been charged, now that this attempt has ended. */
  readonly mayHaveCharged: boolean;
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

/** The wait before the next order tries while the circuit breaker is open: a minute, doubling up to 15 minutes. */
export const breakerWaitMs = (n: number): number =>
  Math.min(longestBackoffMs, minuteMs * 2 ** Math.min(n - 1, 20));

/**
 * What an attempt says about the account: `wallet` for a 402, which is about this amount; `account` for an error that every other order would
 * meet as well (401, 403 of the service, a wrong option, an address that has no such endpoint); `right` for a refusal of this order alone;
 * `unclear` for anything else.
 */
export function accountVerdict(error: unknown): 'wallet' | 'account' | 'right' | 'unclear' {
  if (isWrongAddress(error)) return 'account';
  // A page of a proxy or firewall has no code of the service.
  if (!isBillPayError(error) || error.code === undefined) return 'unclear';
  const { action } = stepIfUncharged(error);
  if (action === 'hold') return statusOf(error) === 402 ? 'wallet' : 'account';
  return action === 'stop' && statusOf(error) === 422 ? 'right' : 'unclear';
}

const statusOf = (error: unknown): unknown => Reflect.get(Object(error), 'status');

/** The service has every endpoint: a 404 or 405 comes from a wrong base address, and says nothing about the order. */
const isWrongAddress = (error: unknown): boolean => [404, 405].includes(Number(statusOf(error)));

/** The longest wait that a Retry-After is given, in ms. */
const longestAskedMs = 10 * minuteMs;

/**
 * What follows from a failed attempt to buy: a pure function of the error and of the order.
 *
 * | `nextStep` | event | due again |
 * |---|---|---|
 * | resume | unknown | after its wait, at least the backoff; at the latest when `reviewAfter` is over |
 * | retry | defer | after its wait, at least the backoff; at the latest when the order expires |
 * | hold | hold | when the circuit breaker lets the next order try; after about a minute where that is not open |
 * | review | review | never |
 * | stop | refuse; where an attempt may have charged, unknown | never; after the backoff |
 *
 * An order that has been unknown for longer than `reviewAfter`, or that has used up its attempts, goes to review. An account at fault
 * uses up no attempts: the order waits for as long as that takes. A Retry-After moves no order by more than ten minutes.
 *
 * @param heldMs - ms until the circuit breaker lets the next order try.
 */
export function afterFailedAttempt(
  error: unknown,
  order: Pick<Order, 'tries' | 'mayHaveCharged' | 'unknownForMs' | 'expiresInMs'>,
  policy: Pick<OrderPolicy, 'maxAttempts' | 'reviewAfter' | 'retryDelay'>,
  random: number,
  heldMs = 0,
): FailedAttempt {
  const step = nextStep(error);
  const n = order.tries + 1;
  const given = policy.retryDelay?.(n);
  const waitOr = (ms: number) => (given === undefined ? ms : spreadMs(given, random));
  const wait = (ms: number) =>
    waitOr(Math.max(Math.min(longestAskedMs, ms), backoffMs(n, 5 * secondMs, random)));
  const isTooOld = order.unknownForMs > policy.reviewAfter;
  const usedUp = n >= policy.maxAttempts;
  const unknown = (afterMs: number): FailedAttempt =>
    usedUp || isTooOld
      ? { event: 'review', dueInMs: undefined, mayHaveCharged: true }
      : {
          event: 'unknown',
          dueInMs: Math.min(wait(afterMs), leftMs(order, true, policy)),
          mayHaveCharged: true,
        };
  const isFault = ['account', 'wallet'].includes(accountVerdict(error));
  const held = (mayHaveCharged: boolean): FailedAttempt => {
    if (mayHaveCharged && isTooOld) return { event: 'review', dueInMs: undefined, mayHaveCharged };
    const dueInMs = isFault
      ? putOffMs(order, mayHaveCharged, heldMs, policy)
      : waitOr(backoffMs(1, minuteMs, random));
    return { event: 'hold', dueInMs, mayHaveCharged };
  };
  switch (step.action) {
    case 'review':
      return { event: 'review', dueInMs: undefined, mayHaveCharged: true };
    case 'resume':
      return isFault ? held(true) : unknown(step.afterMs);
    case 'hold':
      return held(order.mayHaveCharged);
    case 'retry':
      if (order.mayHaveCharged) return unknown(step.afterMs);
      return usedUp
        ? { event: 'review', dueInMs: undefined, mayHaveCharged: false }
        : {
            event: 'defer',
            dueInMs: Math.min(wait(step.afterMs), leftMs(order, false, policy)),
            mayHaveCharged: false,
          };
    case 'stop':
      if (isWrongAddress(error)) return held(order.mayHaveCharged);
      return order.mayHaveCharged
        ? unknown(minuteMs)
        : { event: 'refuse', dueInMs: undefined, mayHaveCharged: false };
  }
}

/**
 * How long an order waits that the circuit breaker holds back. One that expires is due then. One that may have been charged is due within a
 * minute, because only held orders are woken when the breaker closes.
 */
export const putOffMs = (
  order: Pick<Order, 'unknownForMs' | 'expiresInMs'>,
  mayHaveCharged: boolean,
  heldMs: number,
  policy: Pick<OrderPolicy, 'reviewAfter'>,
): number => Math.min(heldMs, mayHaveCharged ? minuteMs : heldMs, leftMs(order, mayHaveCharged, policy));

/** ms until a limit of the order is over, at which it must be looked at: `reviewAfter` where it may have been charged, otherwise `expireAfter`. */
export function leftMs(
  { unknownForMs, expiresInMs = Number.POSITIVE_INFINITY }: Pick<Order, 'unknownForMs' | 'expiresInMs'>,
  mayHaveCharged: boolean,
  { reviewAfter }: Pick<OrderPolicy, 'reviewAfter'>,
): number {
  return Math.max(0, mayHaveCharged ? reviewAfter - unknownForMs + 1 : expiresInMs);
}

const longestCheckMs = 60 * minuteMs;
/**
 * Repeated status checks a minute, of the 60 requests a minute that the service allows: the others are left to 20 purchases, and to the first
 * check of each.
 */
const checksPerMinute = 20;

/**
 * The wait before the next status check of an accepted order: `checkAfter` before the first, then doubling up to an hour, and up to a quarter
 * longer at random, so that each wait is at least as long as the one before. With many accepted orders the later waits are so long that
 * purchases have room within the rate limit.
 *
 * @param checks - how many checks were made before.
 * @param accepted - how many orders wait to be settled.
 */
export function checkWaitMs(
  checks: number,
  { checkAfter }: Pick<OrderPolicy, 'checkAfter'>,
  accepted: number,
  random: number,
): number {
  if (checks === 0) return checkAfter;
  const pace = (accepted / checksPerMinute) * minuteMs;
  const wait = Math.min(Math.max(longestCheckMs, checkAfter), checkAfter * 2 ** Math.min(checks, 20));
  return Math.round(Math.max(wait, pace) * (1 + random / 4));
}

/** What is stored of an error: never a body, a header or a secret that the redactor knows. */
export function describeError(error: unknown, redactor = patternRedactor): OrderError {
  if (isBillPayError(error)) {
    const { name, code, message } = error;
    const status = statusOf(error);
    const reference = purchaseOf(error)?.reference;
    return {
      name,
      message: redactor.known(message),
      ...(code !== undefined && { code: String(code) }),
      ...(typeof status === 'number' && { status }),
      ...(reference !== undefined && { reference }),
    };
  }
  const message = redactor.cause(error)?.message ?? 'Nothing was thrown with the rejection.';
  return { name: nameOfThrown(error), message };
}

/** The purchase that an error brings: one that came back under a key that was used before, or a success that cannot be used otherwise. */
export function purchaseOf(error: unknown): { reference: string; amount: unknown } | undefined {
  const purchase = Object(Reflect.get(Object(error), 'purchase'));
  const reference: unknown = Reflect.get(purchase, 'reference');
  if (typeof reference !== 'string' || reference === '') return undefined;
  return { reference, amount: Reflect.get(purchase, 'amount') };
}

/** An amount that the service names, in NGN with at most two decimals; undefined for anything else. */
export const nairaOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Number(value.toFixed(2)) : undefined;
