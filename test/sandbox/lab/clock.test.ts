import { afterEach, describe, expect, test, vi } from 'vitest';
import { ManualClock, RealClock } from '../../../src/sandbox/lab/clock.js';
import { checkedMs } from '../../../src/sandbox/schemas/fields.js';

const noWork = async () => undefined;

test('what happens at the same time shares one date, which takes 100 bytes in each transaction', async () => {
  const clock = new ManualClock(0);
  const first = clock.date();
  expect(clock.date()).toBe(first);
  await clock.advance(1, () => Promise.resolve());
  expect(first.getTime()).toBe(0);
  expect(clock.date().getTime()).toBe(1);
});

describe('manual clock', () => {
  test('runs what tasks schedule themselves, as long as it falls due', async () => {
    const clock = new ManualClock(0);
    const seen: number[] = [];
    const again = () => {
      seen.push(clock.now());
      clock.schedule(10, again);
    };
    clock.schedule(10, again);
    await clock.advance(35, noWork);
    expect(seen).toEqual([10, 20, 30]);
  });

  test('waits for each task before the next', async () => {
    const clock = new ManualClock(0);
    const seen: string[] = [];
    clock.schedule(1, async () => {
      await Promise.resolve();
      seen.push('first');
    });
    clock.schedule(2, () => seen.push('second'));
    await clock.advance(5, noWork);
    expect(seen).toEqual(['first', 'second']);
  });

  test('does not go where its times have no date of four digits', async () => {
    const clock = new ManualClock(0);
    await expect(clock.advance(Date.UTC(9000, 0) + 1, noWork)).rejects.toThrow('past the year 9000');
    clock.schedule(Date.UTC(9000, 0) + 1, () => undefined);
    await expect(clock.advanceToNext(noWork)).rejects.toThrow('past the year 9000');
    expect(clock.now()).toBe(0);
  });

  test('advances one after the other', async () => {
    const clock = new ManualClock(0);
    await Promise.all([clock.advance(5, noWork), clock.advance(7, noWork)]);
    expect(clock.now()).toBe(12);
  });

  test('forgets what is cancelled or cleared; waits end as not passed', async () => {
    const clock = new ManualClock(0);
    const seen: string[] = [];
    clock.schedule(1, () => seen.push('cancelled')).cancel();
    clock.schedule(2, () => seen.push('cleared'));
    const waiting = clock.wait(3);
    clock.clear();
    expect(await waiting).toBe(false);
    await clock.advance(10, noWork);
    expect(seen).toEqual([]);
  });
});

describe('real clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('runs what is due, in order, and nothing that was cancelled', () => {
    vi.useFakeTimers();
    const clock = new RealClock();
    const seen: string[] = [];
    clock.schedule(50, () => seen.push('b'));
    clock.schedule(20, () => seen.push('a'));
    clock.schedule(30, () => seen.push('x')).cancel();
    vi.advanceTimersByTime(19);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(31);
    expect(seen).toEqual(['a', 'b']);
  });

  test('sleeps longer than a timer can', () => {
    vi.useFakeTimers();
    const clock = new RealClock();
    const seen: string[] = [];
    clock.schedule(2 ** 31 + 1000, () => seen.push('late'));
    vi.advanceTimersByTime(2 ** 31);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(seen).toEqual(['late']);
  });

  test('waits, and ends waits when it is cleared', async () => {
    vi.useFakeTimers();
    const clock = new RealClock();
    const short = clock.wait(10);
    const long = clock.wait(1000);
    vi.advanceTimersByTime(10);
    expect(await short).toBe(true);
    clock.clear();
    expect(await long).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([
  ['250ms', 250],
  ['90s', 90_000],
  ['5m', 300_000],
  ['6h', 21_600_000],
  ['1.5d', 129_600_000],
  [7, 7],
  [0, 0],
  ['36501d', undefined],
  ['3', undefined],
  ['3 sec', undefined],
  ['-3s', undefined],
  ['', undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  [null, undefined],
])('duration %j is %j ms', (duration, ms) => {
  if (ms === undefined) expect(() => checkedMs(duration)).toThrow('duration: must be a length of time');
  else expect(checkedMs(duration)).toBe(ms);
});
