import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  clientWith,
  deaf,
  endless,
  page,
  refusal,
  reset,
  type Step,
  script,
  silent,
} from '../support/script.js';

useFakeClock(new Date('2026-01-31T09:30:00Z'));

afterEach(() => {
  vi.restoreAllMocks();
});

const down = refusal(500, 'GATEWAY_ERROR');
const limited = (retryAfter: string) => refusal(429, 'RATE_LIMITED', { 'retry-after': retryAfter });
const buy = (fetch: typeof globalThis.fetch, options = {}) =>
  clientWith(fetch).airtime.purchase(airtime, options);

describe('backoff', () => {
  it.each([
    ['shortest', 0, [250, 500, 1000, 2000, 4000, 4000]],
    ['middling', 0.5, [375, 750, 1500, 3000, 6000, 6000]],
    ['longest', 1 - 2 ** -53, [500, 1000, 2000, 4000, 8000, 8000]],
  ])('at its %s', async (_, random, waits) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    const run = script(down, reset, page(502), down, refusal(409, 'ALREADY_PROCESSING'), down, accepted());
    await resolved(buy(run.fetch, { maxRetries: 6 }));
    expect(run.waits()).toEqual(waits);
  });
});

describe('Retry-After', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });

  it.each<[string, Step, number]>([
    ['seconds', limited('7'), 7000],
    ['a decimal, never shortened', limited('1.0004'), 1001],
    ['a date', limited('Sat, 31 Jan 2026 09:30:12 GMT'), 12_000],
    ['less than the backoff: backoff', limited('0.1'), 250],
    ['none: backoff', refusal(429, 'RATE_LIMITED'), 250],
    [
      'none, but retry_after_seconds',
      () => Response.json({ status: 'error', code: 'RATE_LIMITED', retry_after_seconds: 9 }, { status: 429 }),
      9000,
    ],
    ['on a 409', refusal(409, 'ALREADY_PROCESSING', { 'retry-after': '3' }), 3000],
    ['on a 503', refusal(503, 'QUEUE_UNAVAILABLE', { 'retry-after': '3' }), 3000],
    ['on a 503 from a proxy', page(503, { 'retry-after': 'Sat, 31 Jan 2026 09:30:03 GMT' }), 3000],
  ])('%s', async (_, step, wait) => {
    const run = script(step, accepted());
    await resolved(buy(run.fetch));
    expect(run.waits()).toEqual([wait]);
  });

  it.each<[string, Step, string]>([
    ['a 429', limited('120'), 'RateLimitError'],
    ['a 429 that says never', limited('9'.repeat(400)), 'RateLimitError'],
    ['a 503', refusal(503, 'PROVIDER_UNAVAILABLE', { 'retry-after': '600' }), 'ProviderUnavailableError'],
  ])('beyond the totalTimeout: %s is thrown at once, not a time-out', async (_, step, name) => {
    const run = script(step);
    const startedAt = performance.now();
    expect(await rejected(buy(run.fetch))).toMatchObject({ name, attempts: 1 });
    expect(performance.now()).toBe(startedAt);
    expect(run.sent).toHaveLength(1);
  });

  it('is on the error', async () => {
    const { fetch } = script(limited('600'));
    expect(await rejected(buy(fetch))).toMatchObject({
      retryAfterSeconds: 600,
      message: expect.stringContaining('Call again after 600 s.'),
      mayHaveCharged: false,
    });
  });

  it('counts against the time that is left, not the whole deadline', async () => {
    const run = script(limited('6'), limited('6'));
    expect(await rejected(buy(run.fetch, { totalTimeout: 10_000 }))).toMatchObject({
      name: 'RateLimitError',
      attempts: 2,
    });
    expect(performance.now() - (run.sent[1]?.at ?? 0)).toBe(0);
  });
});

describe('timeout', () => {
  it.each<[string, Step]>([
    ['a response that never comes', silent],
    ['a fetch that does not heed its signal', deaf],
    ['a body that never ends', endless(202)],
  ])('ends an attempt for %s', async (_, step) => {
    const run = script(step);
    const error = await rejected(buy(run.fetch, { timeout: 5000, maxRetries: 0 }));
    expect(performance.now() - (run.sent[0]?.at ?? 0)).toBe(5000);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      code: 'TIMEOUT',
      attempts: 1,
      mayHaveCharged: true,
      message: expect.stringContaining('received no response within the timeout of 5000 ms.'),
    });
    expect(run.sent[0]?.signal.aborted).toBe(true);
  });

  it('is for each attempt, 30 s by default', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const run = script(silent, deaf, accepted());
    await resolved(buy(run.fetch));
    expect(run.waits()).toEqual([30_250, 30_500]);
  });
});

describe('totalTimeout', () => {
  it('cuts the last attempt short, and says that it did', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const run = script(silent, silent, silent);
    const startedAt = performance.now();
    const error = await rejected(buy(run.fetch, { timeout: 4000, totalTimeout: 10_000 }));
    expect(run.sent.map(({ at }) => at - startedAt)).toEqual([0, 4250, 8750]);
    expect(performance.now() - startedAt).toBe(10_000);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      attempts: 3,
      mayHaveCharged: true,
      message: expect.stringContaining(
        'received no response within its totalTimeout of 10000 ms (after 3 attempts).',
      ),
    });
  });

  it('shorter than the timeout bounds the first attempt', async () => {
    const run = script(silent);
    const startedAt = performance.now();
    const error = await rejected(buy(run.fetch, { totalTimeout: 3000 }));
    expect(performance.now() - startedAt).toBe(3000);
    expect(error).toMatchObject({ message: expect.stringContaining('its totalTimeout of 3000 ms.') });
  });

  it('keeps a wait from being begun that does not fit', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const run = script(down, down, down);
    const startedAt = performance.now();
    const error = await rejected(buy(run.fetch, { totalTimeout: 1125 }));
    expect(error).toMatchObject({ name: 'ServerError', attempts: 2 });
    expect(performance.now() - startedAt).toBe(375);
  });

  it('is 120 s by default', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { fetch, sent } = script(...Array.from({ length: 9 }, () => silent));
    const startedAt = performance.now();
    const error = await rejected(buy(fetch, { maxRetries: 8 }));
    expect(performance.now() - startedAt).toBe(120_000);
    expect(error).toMatchObject({ message: expect.stringContaining('its totalTimeout of 120000 ms') });
    expect(sent).toHaveLength(4);
  });
});
