import { wait } from '../http/wait.js';
import type { Pacer, Place } from './pacer.js';
import { type Turn, type TurnKind, TurnQueue } from './queue.js';

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

/** The limiter says when; everybody else is told the same, so all come back a little apart. */
const jitterMs = 250;

/** How long a rejection asks to wait, in ms; undefined where it is no answer of a limiter but a failure of its store. */
export function msBeforeNext(rejection: unknown): number | undefined {
  if (typeof rejection !== 'object' || rejection === null) return undefined;
  const ms: unknown = Reflect.get(rejection, 'msBeforeNext');
  return typeof ms === 'number' && Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/**
 * Lets requests through as the shared limiters allow. Where a limiter's store fails, requests go: the service still counts for
 * itself, and refuses without a charge.
 *
 * @param key - what the limiters count under: one for each account.
 */
export function sharedPacer(
  limiters: SharedPacing,
  key: string,
  onFailure: (error: unknown) => void,
): Pick<Pacer, 'join' | 'pause'> {
  let pausedUntil = 0;
  let joined = 0;

  /** Takes a point; ms to wait where there is none. */
  async function take(limiter: SharedLimiter): Promise<number> {
    try {
      await limiter.consume(key, 1);
      return 0;
    } catch (rejection) {
      const ms = msBeforeNext(rejection);
      if (ms === undefined) onFailure(rejection);
      return ms === undefined ? 0 : Math.max(1, ms);
    }
  }

  async function takeBoth(kind: TurnKind): Promise<number> {
    const request = await take(limiters.requests);
    if (request > 0 || kind !== 'purchase') return request;
    const purchase = await take(limiters.purchases);
    if (purchase > 0) await limiters.requests.reward?.(key, 1).catch(onFailure);
    return purchase;
  }

  // Purchases that wait for their own window do not hold up reads. In each lane only the first asks.
  const lanes = { purchase: createLane(takeBoth), read: createLane(takeBoth) };

  function createLane(ask: (kind: TurnKind) => Promise<number>) {
    const queue = new TurnQueue();
    let busyUntil = 0;
    let serving = false;
    let change = new AbortController();

    /** Sends away everybody who cannot make it: nobody goes before the first may ask again. */
    const dismissLate = () => {
      const now = performance.now();
      const from = Math.max(busyUntil, pausedUntil);
      for (const waiter of [...queue.waiters]) {
        if (from > waiter.latest) queue.remove(waiter, { granted: false, inMs: from - now });
      }
    };

    const serve = async (): Promise<void> => {
      change.abort();
      change = new AbortController();
      dismissLate();
      if (serving) return;
      serving = true;
      for (let first = queue.waiters[0]; first; first = queue.waiters[0]) {
        const pause = Math.max(busyUntil, pausedUntil) - performance.now();
        if (pause > 0) {
          await wait(pause, change.signal);
          continue;
        }
        const ms = await ask(first.kind);
        if (ms > 0) busyUntil = performance.now() + ms + Math.random() * jitterMs;
        else if (queue.waiters.includes(first)) queue.remove(first, { granted: true });
        dismissLate();
      }
      serving = false;
    };
    return { queue, serve };
  }

  return {
    join(kind): Place {
      const lane = lanes[kind === 'purchase' ? 'purchase' : 'read'];
      const own = { kind, order: joined++ };
      return {
        forecastMs: () => Math.max(0, pausedUntil - performance.now()),
        turn: (withinMs, signal): Promise<Turn> =>
          lane.queue.wait(own, performance.now() + withinMs, signal, lane.serve),
      };
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, performance.now() + ms);
      for (const { serve } of Object.values(lanes)) void serve();
    },
  };
}
