import { rateLimits } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/base.js';
import {
  type OptionShape,
  optionsOf,
  parseOptions,
  wholeNumber,
  withDefault,
} from '../validation/options.js';
import { limitPauseMs, type RequestPacer, type RequestPriority, TicketQueue } from './tickets.js';

/** The current state of a pacer. */
export interface PacerStats {
  /** How many requests wait. */
  readonly waiting: number;
  /** How many requests were granted since the pacer was made. */
  readonly sent: number;
  /** When one more purchase could be sent, behind those that wait. */
  readonly nextPurchaseAt: Date;
  /** When one more read could be sent, behind those that wait. */
  readonly nextRequestAt: Date;
}

/** Sends requests at the pace that the service allows. Made by `createPacer`; share one among the clients of a key. */
export interface Pacer extends RequestPacer {
  /** Returns the current state. */
  stats(): PacerStats;
}

/** Options for `createPacer`. */
export interface PacerOptions {
  /** Purchases in any minute. Default 20, the documented limit. */
  purchasesPerMinute?: number | undefined;
  /** Requests of every kind in any minute. Default 60, the documented limit of one address; a key and a client have 100. */
  requestsPerMinute?: number | undefined;
  /** Requests in any minute to leave to others behind the same address or key. Default 0. */
  reserve?: number | undefined;
}

/** A function, so that a bundle without pacing needs nothing of it. */
const schema = () =>
  optionsOf({
    purchasesPerMinute: withDefault(wholeNumber(1), rateLimits.purchases.limit),
    requestsPerMinute: withDefault(wholeNumber(1), rateLimits.ip.limit),
    reserve: withDefault(wholeNumber(0), 0),
  } satisfies OptionShape<PacerOptions>);

const minuteMs = 60_000;

/** Requests do not all take equally long: two that are sent a minute apart may arrive a little closer together. */
const jitterMs = 250;

/**
 * Makes a pacer: calls wait until the rate limits allow them instead of running into 429s. First come, first served; status checks come after
 * everything else.
 *
 * @throws `ConfigurationError` for a limit that is not a whole number of at least 1.
 *
 * @example
 * ```ts
 * const pacing = createPacer({ purchasesPerMinute: 20, requestsPerMinute: 60 });
 * const shops = accounts.map((account) => new BillPay({ ...account, pacing }));
 * console.log(pacing.stats()); // { waiting, sent, nextPurchaseAt, nextRequestAt }
 * ```
 */
export function createPacer(options: PacerOptions = {}): Pacer {
  const checked = parseOptions(schema(), options, { owner: 'createPacer' });
  const { purchasesPerMinute: purchaseLimit, requestsPerMinute, reserve } = checked;
  const perMinute = requestsPerMinute - reserve;
  if (perMinute < 1) throw new ConfigurationError('reserve', 'must leave at least one request a minute');
  const purchases = new SlidingWindow(purchaseLimit, minuteMs + jitterMs);
  const requests = new SlidingWindow(perMinute, minuteMs + jitterMs);
  const queue = new TicketQueue();
  let pausedUntil = 0;
  let sent = 0;
  let tickets = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** When a request could be sent behind the given others. Purchases ahead take requests of a minute only up to their own limit. */
  const grantAt = (
    kind: RequestPriority,
    ahead: { purchases: number; others: number },
    now: number,
  ): number => {
    const from = Math.max(now, pausedUntil);
    const free = requests.freeAt(from, ahead.others + Math.min(ahead.purchases, purchaseLimit));
    return kind === 'purchase' ? Math.max(free, purchases.freeAt(from, ahead.purchases)) : free;
  };

  /** Grants every request whose time has come, refuses those whose time would come too late, and sets a timer for the next. */
  const serve = (): void => {
    clearTimeout(timer);
    const now = performance.now();
    const ahead = { purchases: 0, others: 0 };
    let next = Number.POSITIVE_INFINITY;
    for (const waiter of [...queue.waiters]) {
      const at = grantAt(waiter.kind, ahead, now);
      // Asked first: a timer that fires late must not grant a request whose time has passed.
      if (at > waiter.latest) {
        queue.remove(waiter, { granted: false, inMs: at - now });
      } else if (at <= now) {
        requests.grant(now);
        if (waiter.kind === 'purchase') purchases.grant(now);
        sent++;
        queue.remove(waiter, { granted: true });
      } else {
        next = Math.min(next, at);
        ahead[waiter.kind === 'purchase' ? 'purchases' : 'others']++;
      }
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(serve, Math.ceil(next - now));
  };

  return {
    stats() {
      const now = performance.now();
      const last = { order: tickets, kind: 'read' } as const;
      const date = (kind: RequestPriority) =>
        new Date(Date.now() + grantAt(kind, queue.ahead(last), now) - now);
      return {
        waiting: queue.waiters.length,
        sent,
        nextPurchaseAt: date('purchase'),
        nextRequestAt: date('read'),
      };
    },

    join(kind) {
      const own = { kind, order: tickets++ };
      return {
        forecastMs() {
          const now = performance.now();
          return grantAt(kind, queue.ahead(own), now) - now;
        },
        grant: (withinMs, signal) => queue.wait(own, performance.now() + withinMs, signal, serve),
      };
    },

    pause(ms) {
      pausedUntil = Math.max(pausedUntil, performance.now() + limitPauseMs(ms));
      serve();
    },
  };
}

/**
 * A sliding window: at most `limit` grants in any `periodMs`, wherever that period begins. It therefore holds whether the
 * service counts in sliding windows or in fixed ones.
 */
export class SlidingWindow {
  readonly #limit: number;
  readonly #periodMs: number;
  /** When the last `limit` grants were made, oldest first. */
  #grants: number[] = [];

  constructor(limit: number, periodMs: number) {
    this.#limit = limit;
    this.#periodMs = periodMs;
  }

  /** Counts one grant. */
  grant(now: number): void {
    this.#grants.push(now);
    if (this.#grants.length > this.#limit) this.#grants.shift();
  }

  /** The first moment at which one more can be granted, after `ahead` others that are each granted as soon as possible. */
  freeAt(now: number, ahead = 0): number {
    const rounds = Math.floor(ahead / this.#limit);
    const at = (ahead % this.#limit) + this.#grants.length - this.#limit;
    const past = this.#grants[at];
    const wait = rounds * this.#periodMs;
    return past === undefined ? now + wait : Math.max(now, past + this.#periodMs) + wait;
  }
}
