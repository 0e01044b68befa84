import { describe, expect, it, vi } from 'vitest';
import { BillPay } from '../../src/client.js';
import { msBeforeNext, type SharedLimiter, sharedPacer } from '../../src/pacing/shared-pacer.js';
import type { Grant, RequestPriority } from '../../src/pacing/tickets.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { quiet, resolved, useFakeClock } from '../support/clock.js';

useFakeClock();

const minute = 60_000;
/** What is added to the time that a limiter gives: a margin, and up to `spread` of jitter. */
const margin = 500;
const spread = 50;

/** A limiter with a fixed number of points, which then rejects as rate-limiter-flexible does. */
function scripted(points = Number.POSITIVE_INFINITY, ms = minute) {
  const asked: string[] = [];
  const limiter = {
    asked,
    rewarded: 0,
    points,
    consume(key: string, count = 1): Promise<unknown> {
      asked.push(key);
      if (limiter.points < count) {
        return Promise.reject({ remainingPoints: 0, msBeforeNext: ms, consumedPoints: 21 });
      }
      limiter.points -= count;
      return Promise.resolve({ remainingPoints: limiter.points, msBeforeNext: ms, consumedPoints: 1 });
    },
    reward(_key: string, count = 1): Promise<unknown> {
      limiter.rewarded += count;
      limiter.points += count;
      return Promise.resolve();
    },
  };
  return limiter;
}

/** A limiter that settles when the test says so. */
function held() {
  const open: { free(): void; refuse(reason: unknown): void }[] = [];
  const limiter = {
    open,
    rewarded: 0,
    consume: () =>
      new Promise<void>((free, refuse) => {
        open.push({ free, refuse });
      }),
    reward: () => Promise.resolve(limiter.rewarded++),
  };
  return limiter;
}

function pacerOver(purchases: SharedLimiter, requests: SharedLimiter) {
  const failures: unknown[] = [];
  const pacer = sharedPacer({ purchases, requests }, 'billpay:shop', (error) => failures.push(error));
  const take = (kind: RequestPriority = 'purchase', within = 10 * minute, signal?: AbortSignal) => {
    const seen: { grant?: Grant; at?: number } = {};
    const grant = pacer.join(kind).grant(within, signal);
    grant.then((end) => Object.assign(seen, { grant: end, at: performance.now() }));
    return seen;
  };
  return { pacer, take, failures };
}

const granted = (grants: readonly { grant?: Grant }[]) => grants.map(({ grant }) => grant?.granted);
const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await quiet();
};

it('a refusal is a rejection with msBeforeNext; any other rejection is a failure of the store', () => {
  const refusals = [{ msBeforeNext: 1500 }, { msBeforeNext: -1 }];
  expect(refusals.map(msBeforeNext)).toEqual([1500, 0]);
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, '1500'])
    expect(msBeforeNext({ msBeforeNext: ms })).toBe(undefined);
  for (const other of [new Error('connect ECONNREFUSED'), null, 'later'])
    expect(msBeforeNext(other)).toBe(undefined);
});

describe('grants', () => {
  it('asks both limiters for a purchase and one for everything else, each under a key of its own', async () => {
    const [purchases, requests] = [scripted(), scripted()];
    const { take } = pacerOver(purchases, requests);
    const grants = [take('purchase'), take('read'), take('poll')];
    await quiet();
    expect(granted(grants)).toEqual([true, true, true]);
    expect(purchases.asked).toEqual(['billpay:shop:purchases']);
    expect(requests.asked).toEqual(Array(3).fill('billpay:shop:requests'));
  });

  it('waits as long as the limiter says, and a little longer; first come, first served', async () => {
    const purchases = scripted(1, 30_000);
    const { take } = pacerOver(purchases, scripted());
    const startedAt = performance.now();
    const grants = [take(), take(), take()];
    await quiet();
    expect(granted(grants)).toEqual([true, undefined, undefined]);
    await pass(30_000 + margin - 1);
    expect(purchases.asked).toHaveLength(2);
    purchases.points = 1;
    await pass(1 + spread);
    expect(granted(grants)).toEqual([true, true, undefined]);
    expect(grants[1]?.at).toBeGreaterThanOrEqual(startedAt + 30_000 + margin);
    purchases.points = 1;
    await pass(30_000 + margin + spread);
    expect(granted(grants)).toEqual([true, true, true]);
  });

  it('gives the request back when there is no grant for the purchase', async () => {
    const requests = scripted();
    const { take } = pacerOver(scripted(0), requests);
    take();
    await quiet();
    expect([requests.asked.length, requests.rewarded]).toEqual([1, 1]);
  });

  it('gives a call that returns for a retry its old place', async () => {
    const purchases = scripted(1);
    const { pacer, take } = pacerOver(purchases, scripted());
    const early = pacer.join('purchase');
    await early.grant(minute, undefined);
    const other = take();
    await quiet();
    let again: Grant | undefined;
    early.grant(10 * minute, undefined).then((grant) => {
      again = grant;
    });
    purchases.points = 1;
    await pass(minute + margin + spread);
    expect([again?.granted, other.grant?.granted]).toEqual([true, undefined]);
  });

  it('asks one question at a time, and gives the grant of a call that left to the next', async () => {
    const [purchases, requests] = [held(), held()];
    const { take } = pacerOver(purchases, requests);
    const controller = new AbortController();
    const leaving = take('purchase', minute, controller.signal);
    const next = take();
    requests.open[0]?.free();
    await quiet();
    controller.abort();
    await quiet();
    expect(leaving.grant).toEqual({ granted: false, inMs: undefined });
    purchases.open[0]?.free();
    await quiet();
    expect(next.grant?.granted).toBe(true);
    expect([requests.open.length, purchases.open.length]).toEqual([1, 1]);
    expect([requests.rewarded, purchases.rewarded]).toEqual([0, 0]);
  });

  it('gives both points back when no call is left to take the grant', async () => {
    const [purchases, requests] = [held(), held()];
    const { take } = pacerOver(purchases, requests);
    const controller = new AbortController();
    take('purchase', minute, controller.signal);
    requests.open[0]?.free();
    await quiet();
    controller.abort();
    purchases.open[0]?.free();
    await quiet();
    expect([requests.rewarded, purchases.rewarded]).toEqual([1, 1]);
  });
});

describe('deadlines, aborts and pauses', () => {
  it('refuses at once a call whose grant would come too late, and says when to ask again', async () => {
    const { take } = pacerOver(scripted(0, 45_000), scripted());
    const patient = take('purchase', minute);
    const hurried = take('purchase', 10_000);
    await quiet();
    expect(hurried.grant).toEqual({ granted: false, inMs: expect.closeTo(45_000 + margin + spread / 2, -2) });
    const late = take('purchase', 10_000);
    await quiet();
    expect(late.grant?.granted).toBe(false);
    expect(patient.grant).toBeUndefined();
  });

  it('releases an aborted call at once, and leaves no timer', async () => {
    const { take } = pacerOver(scripted(0), scripted());
    const controller = new AbortController();
    const waiting = take('purchase', 10 * minute, controller.signal);
    await quiet();
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    await quiet();
    expect(waiting.grant).toEqual({ granted: false, inMs: undefined });
    expect(vi.getTimerCount()).toBe(0);
    const beforehand = take('read', minute, AbortSignal.abort());
    await quiet();
    expect(beforehand.grant).toEqual({ granted: false, inMs: undefined });
  });

  it('holds all calls through the longest pause, and refuses those whose grant would come too late', async () => {
    const { pacer, take } = pacerOver(scripted(), scripted());
    pacer.pause(20_000);
    pacer.pause(5_000);
    expect(pacer.join('read').forecastMs()).toBe(20_000);
    const [patient, hurried] = [take(), take('read', 19_999)];
    await quiet();
    expect(hurried.grant).toEqual({ granted: false, inMs: 20_000 });
    await pass(19_999);
    expect(patient.grant).toBeUndefined();
    await pass(1);
    expect(patient.grant?.granted).toBe(true);
  });

  it('does not grant a grant that was being asked for when a pause began', async () => {
    const requests = held();
    const { pacer, take } = pacerOver(scripted(), requests);
    const read = take('read');
    pacer.pause(20_000);
    requests.open[0]?.free();
    await quiet();
    expect(read.grant).toBeUndefined();
    expect(requests.rewarded).toBe(1);
    await pass(20_000);
    requests.open[1]?.free();
    await quiet();
    expect(read.grant?.granted).toBe(true);
  });
});

describe('a store that fails', () => {
  const broken = (message: string): SharedLimiter => ({
    consume: () => Promise.reject(new Error(message)),
    reward: () => Promise.reject(new Error(message)),
  });

  it('lets requests through, and is reported once for each limiter', async () => {
    const { take, failures } = pacerOver(broken('one'), broken('two'));
    const grants = [take(), take('read'), take(), take('poll')];
    await quiet();
    expect(granted(grants)).toEqual([true, true, true, true]);
    expect(failures).toEqual([new Error('two'), new Error('one')]);
  });

  it('breaks nothing by throwing instead of rejecting, or when points are given back', async () => {
    const failures: string[] = [];
    const thrower: SharedLimiter = {
      consume: () => Promise.resolve(),
      reward: () => {
        throw new Error('cannot reward');
      },
    };
    const odd: SharedLimiter = {
      consume: () => {
        throw new Error('cannot consume');
      },
    };
    const one = pacerOver(scripted(0), thrower);
    one.take();
    const two = pacerOver(odd, scripted());
    const bought = two.take();
    await quiet();
    for (const failure of [...one.failures, ...two.failures]) failures.push(String(failure));
    expect(failures).toEqual(['Error: cannot reward', 'Error: cannot consume']);
    expect(bought.grant?.granted).toBe(true);
  });

  it('does not make calls hang: it has 2 s, and then 0.1 s', async () => {
    const silent = held();
    const { take, failures } = pacerOver(scripted(), silent);
    const first = take('read');
    await pass(1999);
    expect(first.grant).toBeUndefined();
    await pass(1);
    expect(first.grant?.granted).toBe(true);
    const second = take('read');
    await pass(100);
    expect(second.grant?.granted).toBe(true);
    expect(failures.map(String)).toEqual(['Error: the limiter did not respond within 2000 ms']);
    const third = take('read');
    silent.open[2]?.free();
    await quiet();
    expect(third.grant?.granted).toBe(true);
  });
});

describe('a client with shared limiters', () => {
  it('warns once about a store that fails, and continues to sell', async () => {
    const sandbox = createSandbox({ clock: 'manual', settleAfter: 'manual' });
    const warnings: string[] = [];
    const note = (message: string) => void warnings.push(message);
    const none = () => undefined;
    const failing: SharedLimiter = { consume: () => Promise.reject(new Error('away')) };
    const billpay = new BillPay({
      ...sandbox.connection,
      logger: { debug: none, info: none, warn: note, error: none },
      pacing: { purchases: scripted(), requests: failing },
    });
    for (const key of ['a', 'b', 'c']) {
      const order = { biller: 'MTN', recipient: '08031234567', amount: 100, idempotency_key: key };
      await resolved(billpay.airtime.purchase(order));
    }
    expect(sandbox.transactions).toHaveLength(3);
    expect(warnings).toEqual(['billpay: a shared limiter failed; requests continue without it']);
  });
});
