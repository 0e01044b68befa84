import type { Purchase } from '../contract/responses.js';
import { accountVerdict, breakerWaitMs, describeError } from './decide.js';
import type { Order, OrderError } from './order.js';

/** The circuit breaker while it is open: why this process buys nothing, or nothing of a certain amount. For `stats`. */
export interface BreakerState {
  /** When this process opened it. */
  readonly since: Date;
  /** The error of the last attempt: an empty wallet, a key that is not accepted, a wrong address. */
  readonly error: OrderError;
  /** When the next order is tried. */
  readonly nextTryAt: Date;
  /** NGN: orders of less are bought, because only the wallet does not cover this much. Undefined where that does not decide. */
  readonly from: number | undefined;
}

/** How an attempt to buy ended. */
export type AttemptOutcome = { readonly purchase: Purchase } | { readonly error: unknown };

/** What is asked about an order. */
export type BreakerOrder = Pick<Order, 'id' | 'product' | 'params' | 'state' | 'dueInMs'>;

/** Lets orders be bought, or one at a time while the account is at fault. */
export interface Breaker {
  /** Why buying has stopped; undefined while it is closed. */
  state(): BreakerState | undefined;
  /** ms until the next order is tried; 0 while it is closed. */
  waitMs(): number;
  /** Whether an order may be bought now. While open, the first that asks when it is time is the probe: the time moves on before it tries. */
  admits(order: BreakerOrder): boolean;
  /** Takes how the attempt of an order ended, undefined where none was made. Returns whether those that were held back may try now. */
  report(order: BreakerOrder, outcome: AttemptOutcome | undefined): boolean;
  /** Lets the next order try at once. */
  resume(): void;
}

/** Which orders wait: all, those of at least an amount, or those of products whose price is not known here. */
interface Scope {
  readonly all: boolean;
  readonly from: number;
  readonly products: readonly string[];
}

interface Open {
  readonly since: number;
  error: OrderError;
  scope: Scope;
  tries: number;
  nextTryAt: number;
  /** When the last probe began. */
  movedAt: number;
  probe: string | undefined;
}

/** How far the times at which held orders are due may lie apart, in ms, though they were put off to one time. */
const jitterMs = 3000;

/**
 * The circuit breaker of this process. A fault of the account (401, 403, a wrong option or address) stops all buying; a 402 stops orders of at
 * least that amount. One order tries after a minute, then at growing intervals; when it passes, the breaker closes.
 *
 * @param onChange - called when it opens, and with `undefined` when it closes.
 */
export function createBreaker(
  onChange: (state: BreakerState | undefined) => void,
  waitOf: (n: number) => number | undefined = () => undefined,
): Breaker {
  let open: Open | undefined;
  const wait = (tries: number) => waitOf(tries) ?? breakerWaitMs(tries);
  const view = ({ since, error, nextTryAt, scope: { all, from } }: Open): BreakerState => ({
    since: new Date(since),
    error,
    nextTryAt: new Date(nextTryAt),
    from: all || from === Number.POSITIVE_INFINITY ? undefined : from,
  });

  return {
    state: () => open && view(open),
    waitMs: () => (open ? Math.max(0, open.nextTryAt - Date.now()) : 0),
    admits(order) {
      if (!open || !covers(open.scope, order)) return true;
      const now = Date.now();
      // A held order that is due before its time was woken: by another process, or by `resumeHeld` there.
      const dueAt = now + (order.dueInMs ?? Number.POSITIVE_INFINITY);
      const isWoken = order.state === 'held' && dueAt <= now && dueAt > open.movedAt + jitterMs;
      if (now < open.nextTryAt && !isWoken) return false;
      open.probe = order.id;
      open.movedAt = now;
      open.nextTryAt = now + wait(open.tries + 1);
      return true;
    },
    report(order, outcome) {
      const isProbe = open !== undefined && open.probe === order.id;
      if (open && isProbe) open.probe = undefined;
      const verdict = outcome && ('purchase' in outcome ? 'right' : accountVerdict(outcome.error));
      if (verdict === 'account' || verdict === 'wallet') {
        const now = Date.now();
        const error = describeError(outcome && 'error' in outcome ? outcome.error : undefined);
        const scope = verdict === 'wallet' ? scopeOf(order) : everything;
        if (!open) {
          const nextTryAt = now + wait(1);
          open = { since: now, error, scope, tries: 1, nextTryAt, movedAt: now, probe: undefined };
          onChange(view(open));
        } else if (isProbe) {
          // What earlier attempts said is as old as the last interval.
          Object.assign(open, { error, scope, tries: open.tries + 1, nextTryAt: now + wait(open.tries + 1) });
        } else {
          open.scope = both(open.scope, scope);
        }
        return false;
      }
      // An attempt that began before the breaker opened says nothing new.
      if (!open || !isProbe) return false;
      if (verdict === 'right') {
        open = undefined;
        onChange(undefined);
      } else {
        // An unclear outcome says nothing about the account: the next order tries.
        open.nextTryAt = Date.now();
      }
      return true;
    },
    resume() {
      if (open) open.nextTryAt = Date.now();
    },
  };
}

const everything: Scope = { all: true, from: Number.POSITIVE_INFINITY, products: [] };

const scopeOf = (order: BreakerOrder): Scope => {
  const amount = amountOf(order);
  return amount === undefined
    ? { ...everything, all: false, products: [productOf(order)] }
    : { ...everything, all: false, from: amount };
};

const both = (one: Scope, other: Scope): Scope => ({
  all: one.all || other.all,
  from: Math.min(one.from, other.from),
  products: [...new Set([...one.products, ...other.products])],
});

function covers({ all, from, products }: Scope, order: BreakerOrder): boolean {
  const amount = amountOf(order);
  return all || (amount === undefined ? products.includes(productOf(order)) : amount >= from);
}

/** What the order costs, where it says so; the catalogue prices the others. */
function amountOf({ params }: BreakerOrder): number | undefined {
  return 'amount' in params ? params.amount : undefined;
}

function productOf({ product, params }: BreakerOrder): string {
  const code = 'product_code' in params ? params.product_code : '';
  return JSON.stringify([product, params.biller, code, 'quantity' in params ? params.quantity : 1]);
}
