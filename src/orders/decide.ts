import { isBillPayError } from '../errors/index.js';
import { nextStep } from '../errors/next-step.js';
import { patternRedactor } from '../redaction/redactor.js';
import { nameOfThrown } from '../utils/is-error.js';
import type { OrderError, StoredOrder } from './order.js';
import { isFinal, type OrderEvent } from './states.js';

/** The times and limits that decisions depend on, in ms. */
export interface OrderPolicy {
  /** How long one attempt to buy may take before another process continues. Longer than the call's own `totalTimeout`. */
  readonly lease: number;
  /** When an accepted order is first looked up. */
  readonly lookUpAfter: number;
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

/** What an attempt that did not succeed means for its order. */
export interface FailedAttempt {
  readonly event: Extract<OrderEvent, 'doubt' | 'defer' | 'hold' | 'refuse' | 'review'>;
  /** ms until the order is due again; undefined for never. */
  readonly dueInMs: number | undefined;
  /** Whether this attempt leaves the order in doubt. */
  readonly doubted: boolean;
}

const secondMs = 1000;
const longestBackoffMs = 15 * 60 * secondMs;

/**
 * The wait before try `n` (1 for the first): doubling from `firstMs` up to 15 minutes, between half of it and all of it at random, so
 * that orders which failed together do not come back together.
 *
 * @param random - in [0, 1).
 */
export function backoffMs(n: number, firstMs: number, random: number): number {
  const d = Math.min(longestBackoffMs, firstMs * 2 ** Math.min(n - 1, 20));
  return Math.round(d / 2 + (random * d) / 2);
}

/**
 * What follows from a failed attempt to buy: a pure function of the error and of the order.
 *
 * | `nextStep` | event | due again |
 * |---|---|---|
 * | resume | doubt | after its wait, at least the backoff |
 * | retry | defer | after its wait, at least the backoff |
 * | hold | hold | after about a minute |
 * | review | review | never |
 * | stop | refuse; in doubt, doubt | never; in doubt, after the backoff |
 *
 * An order that has been in doubt for longer than `reviewAfter`, or that has used up its attempts, goes to review. An account at fault
 * uses up no attempts: the order waits for as long as that takes.
 */
export function afterFailedAttempt(
  error: unknown,
  order: Pick<StoredOrder, 'tries' | 'doubted' | 'doubtedForMs'>,
  policy: Pick<OrderPolicy, 'maxAttempts' | 'reviewAfter' | 'retryDelay'>,
  random: number,
): FailedAttempt {
  const step = nextStep(error);
  const n = order.tries + 1;
  const wait = (ms: number) => policy.retryDelay?.(n) ?? Math.max(ms, backoffMs(n, 5 * secondMs, random));
  const usedUp = n >= policy.maxAttempts;
  const inDoubt = (afterMs: number): FailedAttempt =>
    usedUp || order.doubtedForMs > policy.reviewAfter
      ? { event: 'review', dueInMs: undefined, doubted: true }
      : { event: 'doubt', dueInMs: wait(afterMs), doubted: true };
  switch (step.action) {
    case 'review':
      return { event: 'review', dueInMs: undefined, doubted: true };
    case 'resume':
      return inDoubt(step.afterMs);
    case 'hold':
      return {
        event: 'hold',
        dueInMs: policy.retryDelay?.(n) ?? backoffMs(1, 60 * secondMs, random),
        doubted: order.doubted,
      };
    case 'retry':
      if (order.doubted) return inDoubt(step.afterMs);
      return usedUp
        ? { event: 'review', dueInMs: undefined, doubted: false }
        : { event: 'defer', dueInMs: wait(step.afterMs), doubted: false };
    case 'stop':
      return order.doubted ? inDoubt(60 * secondMs) : { event: 'refuse', dueInMs: undefined, doubted: false };
  }
}

/** The wait before the next look at an accepted order. */
export const nextLookMs = (tries: number, { lookUpAfter }: OrderPolicy, random: number): number =>
  backoffMs(tries + 1, lookUpAfter, random);

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
