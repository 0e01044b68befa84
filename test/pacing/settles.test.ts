import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createPacer, type Pacer } from '../../src/pacing/pacer.js';
import { type SharedLimiter, sharedPacer } from '../../src/pacing/shared-pacer.js';
import type { Grant, RequestPriority } from '../../src/pacing/tickets.js';
import { quiet, useFakeClock } from '../support/clock.js';

useFakeClock();

const minute = 60_000;

/** One event in the life of a pacer. Several waiters may share a signal. */
type Step =
  | {
      readonly do: 'join';
      readonly kind: RequestPriority;
      readonly within: number;
      readonly signal: number | undefined;
    }
  | { readonly do: 'abort'; readonly signal: number }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'pass'; readonly ms: number };

const signals = 4;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('join' as const),
      kind: fc.constantFrom<RequestPriority>('purchase', 'read', 'poll'),
      within: fc.integer({ min: 0, max: 5 * minute }),
      signal: fc.option(fc.nat({ max: signals - 1 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('abort' as const), signal: fc.nat({ max: signals - 1 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('pause' as const),
      ms: fc.oneof(
        fc.integer({ min: 0, max: 2 * minute }),
        fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN, -1, 1e300),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 2 * minute }) }),
  },
);

/** How a limiter of a shared store behaves at each question. */
type Behaviour = 'grants' | 'refuses' | 'fails' | 'is silent' | 'throws';

function limiter(behaviours: readonly Behaviour[]): SharedLimiter {
  let asked = 0;
  return {
    consume() {
      switch (behaviours[asked++ % behaviours.length]) {
        case 'refuses':
          return Promise.reject({ msBeforeNext: 20_000 });
        case 'fails':
          return Promise.reject(new Error('connect ECONNREFUSED'));
        case 'is silent':
          return new Promise(() => {});
        case 'throws':
          throw new Error('not connected');
        default:
          return Promise.resolve();
      }
    },
  };
}

/** Runs the steps and returns a text for each violation. */
async function problemsOf(pacer: Pick<Pacer, 'join' | 'pause'>, steps: readonly Step[]): Promise<string[]> {
  const controllers = Array.from({ length: signals }, () => new AbortController());
  const waiters: { latest: number; signal: AbortSignal | undefined; grant?: Grant; at?: number }[] = [];
  const problems: string[] = [];
  for (const one of steps) {
    if (one.do === 'abort') controllers[one.signal]?.abort();
    else if (one.do === 'pause') pacer.pause(one.ms);
    else if (one.do === 'pass') await vi.advanceTimersByTimeAsync(one.ms);
    else {
      const signal = one.signal === undefined ? undefined : controllers[one.signal]?.signal;
      const waiter: (typeof waiters)[number] = { latest: performance.now() + one.within, signal };
      waiters.push(waiter);
      pacer
        .join(one.kind)
        .grant(one.within, signal)
        .then((grant) => {
          if (waiter.grant) problems.push('settled twice');
          Object.assign(waiter, { grant, at: performance.now() });
        });
    }
    await quiet();
  }
  // After this the time of every waiter is over; a silent store may delay a grant by 2 s.
  await vi.advanceTimersByTimeAsync(6 * minute);
  await quiet();
  waiters.forEach(({ latest, signal, grant, at = 0 }, n) => {
    if (!grant) problems.push(`waiter ${n} never settled`);
    else if (grant.granted && at > latest) problems.push(`waiter ${n} got its grant too late`);
    else if (!grant.granted && grant.inMs === undefined && !signal?.aborted) {
      problems.push(`waiter ${n} was taken for aborted`);
    }
  });
  return problems;
}

const behaviours = fc.array(
  fc.constantFrom<Behaviour>('grants', 'grants', 'refuses', 'fails', 'is silent', 'throws'),
  {
    minLength: 1,
    maxLength: 6,
  },
);

describe('in any order of joins, aborts and pauses, every waiter settles', () => {
  it('in a pacer of one process', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        async (steps, purchasesPerMinute, requestsPerMinute) => {
          const pacer = createPacer({ purchasesPerMinute, requestsPerMinute });
          expect(await problemsOf(pacer, steps)).toEqual([]);
          expect(pacer.stats().waiting).toBe(0);
          vi.clearAllTimers();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('in a pacer over a shared store, whatever the store does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        behaviours,
        behaviours,
        async (steps, purchases, requests) => {
          const limiters = { purchases: limiter(purchases), requests: limiter(requests) };
          expect(
            await problemsOf(
              sharedPacer(limiters, 'billpay:shop', () => {}),
              steps,
            ),
          ).toEqual([]);
          vi.clearAllTimers();
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('an abort that reaches several waiters at once', () => {
  it('settles the waiter behind them, which shares nothing with them', async () => {
    const silent: SharedLimiter = { consume: () => new Promise(() => {}) };
    const pacer = sharedPacer({ purchases: silent, requests: silent }, 'billpay:shop', () => {});
    const controller = new AbortController();
    const ends: string[] = [];
    const take = (name: string, within: number, signal?: AbortSignal) =>
      pacer
        .join('purchase')
        .grant(within, signal)
        .then(({ granted }) => ends.push(`${name} ${granted}`));
    take('one', 300, controller.signal);
    take('two', 300, controller.signal);
    take('three', 10 * minute);
    await vi.advanceTimersByTimeAsync(1000);
    controller.abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ends.sort()).toEqual(['one false', 'three true', 'two false']);
  });
});

describe('a timer that fires late', () => {
  it('does not grant a grant whose time has passed', async () => {
    const pacer = createPacer({ purchasesPerMinute: 1 });
    await pacer.join('purchase').grant(0, undefined);
    const windowMs = pacer.join('purchase').forecastMs();
    const grant = pacer.join('purchase').grant(windowMs + 10, undefined);
    const late = performance.now() + windowMs + 20;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(late);
    try {
      await vi.advanceTimersByTimeAsync(windowMs);
      expect(await grant).toEqual({ granted: false, inMs: 0 });
    } finally {
      clock.mockRestore();
    }
  });
});

describe('a pause that one response asks for', () => {
  it.each([1e300, Number.POSITIVE_INFINITY])('of %d ms holds a pacer for 10 minutes at most', async (ms) => {
    const pacer = createPacer();
    pacer.pause(ms);
    expect(pacer.stats().nextPurchaseAt.getTime() - Date.now()).toBe(600_000);
    const shared = sharedPacer(
      { purchases: limiter(['grants']), requests: limiter(['grants']) },
      'billpay:shop',
      () => {},
    );
    shared.pause(ms);
    expect(shared.join('purchase').forecastMs()).toBe(600_000);
  });
});
