import { atMost, wait } from '../utils/wait.js';
import {
  type Grant,
  limitPauseMs,
  type RequestPacer,
  type RequestPriority,
  type Ticket,
  TicketQueue,
} from './tickets.js';

/** A limiter that several processes share. Those of rate-limiter-flexible have this shape. */
export interface SharedLimiter {
  /** Takes `points`. When there are not enough, it rejects with an object whose `msBeforeNext` says when to ask again. */
  consume(key: string, points?: number): Promise<unknown>;
  /** Returns points that were not used. */
  reward?(key: string, points?: number): Promise<unknown>;
}

/** Limiters for pacing across processes: purchases (20 a minute) and requests of every kind (60 a minute). */
export interface SharedLimiters {
  /** Consumed by each purchase. */
  purchases: SharedLimiter;
  /** Consumed by each request, purchases included. */
  requests: SharedLimiter;
}

/** Requests do not all take equally long, so those of a new window are sent a little after it has opened. */
const marginMs = 500;

/** Jitter, so that waiting processes do not all ask again at the same moment. */
const jitterMs = 50;

/** How long to wait for the store; shorter while it is failing, so that calls do not hang because Redis does. */
const storeTimeoutMs = { working: 2000, failing: 100 };

/** How long a rejection asks to wait, in ms; undefined when it is not a limiter's refusal but a failure of its store. */
export function msBeforeNext(rejection: unknown): number | undefined {
  if (typeof rejection !== 'object' || rejection === null) return undefined;
  const ms: unknown = Reflect.get(rejection, 'msBeforeNext');
  return typeof ms === 'number' && Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/**
 * Asks the limiters for one grant at a time: first come, first served; status checks come after everything else; purchases that wait for
 * their own window do not delay reads. While the store of a limiter fails, requests are sent without it: the service still counts for itself, and a
 * 429 charges nothing.
 *
 * @param key - the account. Each limiter counts under a key of its own: two limiters with equal prefixes in one store would otherwise take
 * their points from one budget, and reads would use up that of purchases.
 * @param onFailure - called once when a store fails, and again only after it has worked in between.
 */
export function sharedPacer(
  limiters: SharedLimiters,
  key: string,
  onFailure: (error: unknown) => void,
): RequestPacer {
  const queue = new TicketQueue();
  let pausedUntil = 0;
  let purchasesPausedUntil = 0;
  let tickets = 0;
  let serving = false;
  let change = new AbortController();
  const failing = new Set<SharedLimiter>();

  const freeAt = (kind: RequestPriority, now: number) =>
    Math.max(now, pausedUntil, kind === 'purchase' ? purchasesPausedUntil : 0);

  const reportFailure = (limiter: SharedLimiter, error: unknown) => {
    if (failing.has(limiter)) return;
    failing.add(limiter);
    onFailure(error);
  };

  /** Takes a point. Returns 0, or the ms to wait when there is none. */
  async function take(kind: keyof SharedLimiters): Promise<number> {
    const limiter = limiters[kind];
    try {
      const ms = failing.has(limiter) ? storeTimeoutMs.failing : storeTimeoutMs.working;
      await atMost(ms, limiter.consume(`${key}:${kind}`, 1), `the limiter did not respond within ${ms} ms`);
    } catch (rejection) {
      const ms = msBeforeNext(rejection);
      if (ms === undefined) {
        reportFailure(limiter, rejection);
        return 0;
      }
      failing.delete(limiter);
      return Math.max(1, limitPauseMs(ms)) + marginMs + Math.random() * jitterMs;
    }
    failing.delete(limiter);
    return 0;
  }

  /** Not awaited: a point that is lost only slows the pace a little. */
  const giveBack = async (kind: keyof SharedLimiters) => {
    try {
      await limiters[kind].reward?.(`${key}:${kind}`, 1);
    } catch (error) {
      reportFailure(limiters[kind], error);
    }
  };

  /** Asks the limiters for one grant. When there is none, notes when to ask again. */
  async function ask(kind: RequestPriority): Promise<void> {
    const requestInMs = await take('requests');
    if (requestInMs > 0) {
      pausedUntil = Math.max(pausedUntil, performance.now() + requestInMs);
      return;
    }
    const purchaseInMs = kind === 'purchase' ? await take('purchases') : 0;
    if (purchaseInMs > 0) purchasesPausedUntil = performance.now() + purchaseInMs;
    dismissLate();
    // The request that needed this grant may have left, and a pause may have begun: the first request that can use the grant gets it.
    const now = performance.now();
    const waiter =
      freeAt(kind, now) > now
        ? undefined
        : queue.waiters.find((one) => (one.kind === 'purchase') === (kind === 'purchase'));
    if (waiter) {
      queue.remove(waiter, { granted: true });
      return;
    }
    void giveBack('requests');
    if (kind === 'purchase' && purchaseInMs === 0) void giveBack('purchases');
  }

  /** Refuses the requests whose time ends before the limiters may be asked again. */
  const dismissLate = () => {
    const now = performance.now();
    for (const waiter of [...queue.waiters]) {
      const at = freeAt(waiter.kind, now);
      if (at > waiter.latest) queue.remove(waiter, { granted: false, inMs: at - now });
    }
  };

  const serve = async (): Promise<void> => {
    change.abort();
    change = new AbortController();
    dismissLate();
    if (serving) return;
    serving = true;
    while (queue.waiters.length > 0) {
      const now = performance.now();
      const first = queue.waiters.find(({ kind }) => freeAt(kind, now) <= now);
      if (first) await ask(first.kind);
      else await wait(Math.min(...queue.waiters.map(({ kind }) => freeAt(kind, now))) - now, change.signal);
      dismissLate();
    }
    serving = false;
  };

  return {
    join(kind): Ticket {
      const own = { kind, order: tickets++ };
      return {
        forecastMs() {
          const now = performance.now();
          return freeAt(kind, now) - now;
        },
        grant: (withinMs, signal): Promise<Grant> =>
          queue.wait(own, performance.now() + withinMs, signal, serve),
      };
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, performance.now() + limitPauseMs(ms));
      void serve();
    },
  };
}
