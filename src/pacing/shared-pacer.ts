import { wait } from '../utils/wait.js';
import type { Pacer, Place } from './pacer.js';
import { type RequestPriority, type Turn, TurnQueue } from './queue.js';

/** A limiter that several processes share, of the shape of those of rate-limiter-flexible. */
export interface SharedLimiter {
  /** Resolves when `points` are free, and takes them; else rejects with an object whose `msBeforeNext` says when to ask again. */
  consume(key: string, points?: number): Promise<unknown>;
  /** Gives points back that were taken in vain. */
  reward?(key: string, points?: number): Promise<unknown>;
}

/** Pacing over many processes: one limiter for purchases (20 a minute), one for requests of every kind (60 a minute). */
export interface SharedPacing {
  /** Asked for each purchase. */
  purchases: SharedLimiter;
  /** Asked for each request. */
  requests: SharedLimiter;
}

/** Requests do not all travel equally long, so those of a new window leave a little after it has opened. */
const marginMs = 500;

/** Everybody is told the same time: apart by chance, they do not all ask at once. */
const spreadMs = 50;

/** A store that is silent for so long has failed, and then has less time: a call must not hang because Redis does. */
const patienceMs = { working: 2000, failing: 100 };

/** How long a rejection asks to wait, in ms; undefined where it is no answer of a limiter but a failure of its store. */
export function msBeforeNext(rejection: unknown): number | undefined {
  if (typeof rejection !== 'object' || rejection === null) return undefined;
  const ms: unknown = Reflect.get(rejection, 'msBeforeNext');
  return typeof ms === 'number' && Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/**
 * Lets requests through as the shared limiters allow, one question at a time: first come, first served; status looks after everything
 * else; purchases that wait for their own window do not hold up reads. Where a limiter's store fails, requests go: the service still
 * counts for itself, and refuses without a charge.
 *
 * @param key - what the limiters count under: one for each account.
 * @param onFailure - told once when a store fails, and again only after it has worked in between.
 */
export function sharedPacer(
  limiters: SharedPacing,
  key: string,
  onFailure: (error: unknown) => void,
): Pick<Pacer, 'enqueue' | 'pause'> {
  const queue = new TurnQueue();
  let nobodyUntil = 0;
  let noPurchaseUntil = 0;
  let joined = 0;
  let serving = false;
  let change = new AbortController();
  const failing = new Set<SharedLimiter>();

  const freeAt = (kind: RequestPriority, now: number) =>
    Math.max(now, nobodyUntil, kind === 'purchase' ? noPurchaseUntil : 0);

  const tell = (limiter: SharedLimiter, error: unknown) => {
    if (failing.has(limiter)) return;
    failing.add(limiter);
    onFailure(error);
  };

  /** Takes a point; ms to wait where there is none. */
  async function take(limiter: SharedLimiter): Promise<number> {
    try {
      await inTime(limiter.consume(key, 1), failing.has(limiter) ? patienceMs.failing : patienceMs.working);
    } catch (rejection) {
      const ms = msBeforeNext(rejection);
      if (ms === undefined) {
        tell(limiter, rejection);
        return 0;
      }
      failing.delete(limiter);
      return Math.max(1, ms) + marginMs + Math.random() * spreadMs;
    }
    failing.delete(limiter);
    return 0;
  }

  /** Nobody waits for it: a point that is not given back only costs a little pace. */
  const giveBack = async (limiter: SharedLimiter) => {
    try {
      await limiter.reward?.(key, 1);
    } catch (error) {
      tell(limiter, error);
    }
  };

  /** Asks the limiters for one turn; where there is none, remembers until when. */
  async function ask(kind: RequestPriority): Promise<void> {
    const requestInMs = await take(limiters.requests);
    if (requestInMs > 0) {
      nobodyUntil = Math.max(nobodyUntil, performance.now() + requestInMs);
      return;
    }
    const purchaseInMs = kind === 'purchase' ? await take(limiters.purchases) : 0;
    if (purchaseInMs > 0) noPurchaseUntil = performance.now() + purchaseInMs;
    dismissLate();
    // Whoever it was asked for may have left, and a pause may have begun: the turn is for the first who can use it.
    const now = performance.now();
    const waiter =
      freeAt(kind, now) > now
        ? undefined
        : queue.waiters.find((one) => (one.kind === 'purchase') === (kind === 'purchase'));
    if (waiter) {
      queue.remove(waiter, { granted: true });
      return;
    }
    void giveBack(limiters.requests);
    if (kind === 'purchase' && purchaseInMs === 0) void giveBack(limiters.purchases);
  }

  /** Sends away everybody who cannot make it: nobody goes before the limiters may be asked again. */
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
    enqueue(kind): Place {
      const own = { kind, order: joined++ };
      return {
        estimateWaitMs() {
          const now = performance.now();
          return freeAt(kind, now) - now;
        },
        acquire: (withinMs, signal): Promise<Turn> =>
          queue.wait(own, performance.now() + withinMs, signal, serve),
      };
    },
    pause(ms) {
      nobodyUntil = Math.max(nobodyUntil, performance.now() + ms);
      void serve();
    },
  };
}

/** The same promise, but rejected where it is silent for too long. */
function inTime(asked: Promise<unknown>, ms: number): Promise<unknown> {
  const answered = new AbortController();
  const silence = wait(ms, answered.signal).then(() => {
    throw new Error(`the limiter has not answered for ${ms} ms`);
  });
  return Promise.race([asked, silence]).finally(() => answered.abort());
}
