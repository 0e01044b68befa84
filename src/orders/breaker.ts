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

interface Open {
  readonly since: number;
  readonly error: OrderError;
  /** Orders of at least this amount wait; at 0 all do. */
  from: number;
  /** Products whose orders wait although they name no amount. */
  readonly products: Set<string>;
  readonly tries: number;
  nextTryAt: number;
  /** The order that tries, and when the last one began to. */
  probe: string | undefined;
  probedAt: number;
}

/** How far the times at which held orders are due may lie apart, in ms, though they were put off to one time. */
const jitterMs = 3000;

/**
 * The circuit breaker of this process. A fault of the account (401, 403, a wrong option or address) stops all buying; a 402 stops orders of at
 * least that amount. One order tries after a minute, then at growing intervals; when it passes, the breaker closes.
 */
export class Breaker {
  readonly #onChange: (state: BreakerState | undefined) => void;
  readonly #waitMs: (tries: number) => number;
  #open: Open | undefined;

  /**
   * @param onChange - called when it opens, and with `undefined` when it closes.
   * @param waitMs - ms before try `n`, where it says so.
   */
  constructor(
    onChange: (state: BreakerState | undefined) => void,
    waitMs: (n: number) => number | undefined = () => undefined,
  ) {
    this.#onChange = onChange;
    this.#waitMs = (n) => waitMs(n) ?? breakerWaitMs(n);
  }

  /** Why buying has stopped; undefined while it is closed. */
  state(): BreakerState | undefined {
    if (!this.#open) return undefined;
    const { since, error, nextTryAt, from } = this.#open;
    const hasAmount = from > 0 && Number.isFinite(from);
    return {
      since: new Date(since),
      error,
      nextTryAt: new Date(nextTryAt),
      from: hasAmount ? from : undefined,
    };
  }

  /** ms until the next order is tried; 0 while it is closed. */
  waitMs(): number {
    return this.#open ? Math.max(0, this.#open.nextTryAt - Date.now()) : 0;
  }

  /** Whether an order may be bought now. While open, the first that asks when it is time is the probe: the time moves on before it tries. */
  admits(order: BreakerOrder): boolean {
    const open = this.#open;
    if (!open || !covers(open, order)) return true;
    const now = Date.now();
    // A held order that is due before its time was woken: by another process, or by `resumeHeld` there.
    const dueAt = now + (order.dueInMs ?? Number.POSITIVE_INFINITY);
    const isWoken = order.state === 'held' && dueAt <= now && dueAt > open.probedAt + jitterMs;
    if (now < open.nextTryAt && !isWoken) return false;
    open.probe = order.id;
    open.probedAt = now;
    open.nextTryAt = now + this.#waitMs(open.tries + 1);
    return true;
  }

  /** Takes how the attempt of an order ended, undefined where none was made. Returns whether those that were held back may try now. */
  report(order: BreakerOrder, outcome: AttemptOutcome | undefined): boolean {
    const open = this.#open;
    const isProbe = open?.probe === order.id;
    if (open && isProbe) open.probe = undefined;
    const error = outcome && 'error' in outcome ? outcome.error : undefined;
    const verdict = outcome && ('purchase' in outcome ? 'right' : accountVerdict(error));
    if (verdict === 'account' || verdict === 'wallet') {
      const amount = verdict === 'account' ? 0 : amountOf(order);
      if (open && !isProbe) {
        if (amount === undefined) open.products.add(productOf(order));
        else open.from = Math.min(open.from, amount);
        return false;
      }
      // What earlier attempts said is as old as the last interval.
      const now = Date.now();
      const tries = (open?.tries ?? 0) + 1;
      this.#open = {
        since: open?.since ?? now,
        error: describeError(error),
        from: amount ?? Number.POSITIVE_INFINITY,
        products: new Set(amount === undefined ? [productOf(order)] : []),
        tries,
        nextTryAt: now + this.#waitMs(tries),
        probe: undefined,
        probedAt: open?.probedAt ?? now,
      };
      if (!open) this.#onChange(this.state());
      return false;
    }
    // An attempt that began before the breaker opened says nothing new.
    if (!open || !isProbe) return false;
    if (verdict === 'right') {
      this.#open = undefined;
      this.#onChange(undefined);
    } else {
      // An unclear outcome says nothing about the account: the next order tries.
      open.nextTryAt = Date.now();
    }
    return true;
  }

  /** Lets the next order try at once. */
  resume(): void {
    if (this.#open) this.#open.nextTryAt = Date.now();
  }
}

function covers({ from, products }: Open, order: BreakerOrder): boolean {
  const amount = amountOf(order);
  return from === 0 || (amount === undefined ? products.has(productOf(order)) : amount >= from);
}

/** What the order costs, where it says so; the catalogue prices the others. */
const amountOf = ({ params }: BreakerOrder): number | undefined =>
  'amount' in params ? params.amount : undefined;

function productOf({ product, params }: BreakerOrder): string {
  const code = 'product_code' in params ? params.product_code : '';
  return JSON.stringify([product, params.biller, code, 'quantity' in params ? params.quantity : 1]);
}
