import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../src/index.js';
import type { Pacer } from '../../src/pacing/pacer.js';
import { ended, rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  catalogue,
  clientWith,
  keptLines,
  page,
  refusal,
  reset,
  type Step,
  script,
  subscribed,
  transaction,
} from '../support/script.js';

useFakeClock();

/** A pacer that grants each request after `grantMs`, and records its calls. */
function watched(grantMs = 0) {
  const kinds: string[] = [];
  const grants: string[] = [];
  const pauses: number[] = [];
  const pacing: Pacer = {
    stats: () => ({ waiting: 0, sent: 0, nextPurchaseAt: new Date(), nextRequestAt: new Date() }),
    join(kind) {
      kinds.push(kind);
      return {
        forecastMs: () => 0,
        grant: () =>
          new Promise((resolve) => {
            grants.push(kind);
            if (grantMs === 0) resolve({ granted: true });
            else setTimeout(() => resolve({ granted: true }), grantMs);
          }),
      };
    },
    pause: (ms) => void pauses.push(ms),
  };
  return { pacing, kinds, grants, pauses };
}

const order = { ...airtime, idempotency_key: 'order-1' };

it('a call takes its place as what it is: a status look yields to all others', async () => {
  const { pacing, kinds } = watched();
  const { fetch } = script(accepted(), catalogue, subscribed, transaction('success'));
  const billpay = clientWith(fetch, { pacing });
  await resolved(billpay.airtime.purchase(order));
  await resolved(billpay.data.products({ biller: 'MTN' }));
  await resolved(billpay.webhooks.subscribe({ url: 'https://shop.test/hook' }));
  await resolved(billpay.transactions.status('TXN-1'));
  expect(kinds).toEqual(['purchase', 'read', 'read', 'poll']);
});

describe('a pause for everybody', () => {
  const pausesAfter = async (steps: Step[], maxRetries = 1) => {
    const { pacing, pauses } = watched();
    const records: AttemptRecord[] = [];
    const { fetch } = script(...steps);
    const onAttempt = (record: AttemptRecord) => void records.push(record);
    await ended(clientWith(fetch, { pacing, maxRetries, onAttempt }).airtime.purchase(order));
    return { pauses, retryInMs: records[0]?.retryInMs };
  };
  const limited = (headers = {}) => refusal(429, 'RATE_LIMITED', headers);

  it('is as long as the service asks on a 429', async () => {
    expect(await pausesAfter([limited({ 'retry-after': '30' }), accepted()])).toEqual({
      pauses: [30_000],
      retryInMs: 30_000,
    });
    expect((await pausesAfter([limited({ 'retry-after': '30' })], 0)).pauses).toEqual([30_000]);
  });

  it('is as long as the wait before the retry where that is longer, or nothing is asked', async () => {
    for (const headers of [{}, { 'retry-after': '0.1' }]) {
      const { pauses, retryInMs } = await pausesAfter([limited(headers), accepted()]);
      expect(retryInMs).toBeGreaterThanOrEqual(250);
      expect(pauses).toEqual([retryInMs]);
    }
    expect((await pausesAfter([limited()], 0)).pauses).toEqual([0]);
  });

  it('lasts 10 minutes at most, whatever one response asks for, and the log says so', async () => {
    for (const retryAfter of ['Fri, 31 Dec 9999 23:59:59 GMT', '9'.repeat(400), '86400']) {
      const { pacing, pauses } = watched();
      const { lines, logger } = keptLines();
      const { fetch } = script(limited({ 'retry-after': retryAfter }));
      const billpay = clientWith(fetch, { pacing, logger, logLevel: 'warn' });
      expect(await rejected(billpay.airtime.purchase(order))).toMatchObject({ name: 'RateLimitError' });
      expect(pauses).toEqual([600_000]);
      const message = expect.stringContaining('the pacer pauses for 600 s, its maximum');
      expect(lines).toEqual([['warn', message, { operation: 'airtime.purchase' }]]);
    }
  });

  it.each<[string, Step]>([
    ['a success', accepted()],
    ['another refusal that asks to wait', refusal(503, 'QUEUE_UNAVAILABLE', { 'retry-after': '30' })],
    ['a proxy’s page', page(502)],
    ['a broken connection', reset],
  ])('does not come of %s', async (_, step) => {
    expect((await pausesAfter([step], 0)).pauses).toEqual([]);
  });
});

it('the time waited for a grant is recorded for each attempt', async () => {
  const { pacing } = watched(250);
  const records: AttemptRecord[] = [];
  const { fetch } = script(refusal(503, 'QUEUE_UNAVAILABLE'), accepted());
  const onAttempt = (record: AttemptRecord) => void records.push(record);
  await resolved(clientWith(fetch, { pacing, onAttempt }).airtime.purchase(order));
  expect(records.map(({ waitedMs }) => waitedMs)).toEqual([250, 250]);
});

it('an abort while a retry waits for its grant ends the call, with what the attempts before it mean', async () => {
  const controller = new AbortController();
  let grants = 0;
  const pacing: Pacer = {
    ...watched().pacing,
    join: () => ({
      forecastMs: () => 0,
      grant: async () => {
        if (++grants === 1) return { granted: true };
        controller.abort();
        return { granted: false, inMs: undefined };
      },
    }),
  };
  const { fetch, sent } = script(reset);
  const call = clientWith(fetch, { pacing }).airtime.purchase(order, { signal: controller.signal });
  expect(await rejected(call)).toMatchObject({ name: 'AbortError', attempts: 1, mayHaveCharged: true });
  expect(sent).toHaveLength(1);
});

it('a call that was aborted asks its pacer neither for a place nor for another grant', async () => {
  const { pacing, kinds, grants } = watched();
  const controller = new AbortController();
  const { signal } = controller;
  const { fetch } = script(reset);
  const billpay = clientWith(fetch, { pacing, onAttempt: () => controller.abort() });
  for (const attempts of [1, 0])
    expect(await rejected(billpay.airtime.purchase(order, { signal }))).toMatchObject({ attempts });
  expect([kinds, grants]).toEqual([['purchase'], ['purchase']]);
});

describe('a pacer that is silent', () => {
  /** Grants so many grants, and never responds after that. */
  const silentAfter = (grants: number, signals: (AbortSignal | undefined)[] = []): Pacer => ({
    stats: () => ({ waiting: 0, sent: 0, nextPurchaseAt: new Date(), nextRequestAt: new Date() }),
    join: () => ({
      forecastMs: () => 0,
      grant: (_, signal) => {
        signals.push(signal);
        return grants-- > 0 ? Promise.resolve({ granted: true }) : new Promise(() => {});
      },
    }),
    pause() {},
  });

  it.each([
    [0, { name: 'TimeoutError', attempts: 0, mayHaveCharged: false }],
    [1, { name: 'ServerError', attempts: 1, mayHaveCharged: true }],
  ])('after %i grants does not outlast the totalTimeout', async (grants, expected) => {
    const { fetch, sent } = script(page(500));
    const signals: (AbortSignal | undefined)[] = [];
    const pacing = silentAfter(grants, signals);
    const startedAt = performance.now();
    const billpay = clientWith(fetch, { pacing, retryDelay: () => 10 });
    const error = await rejected(billpay.airtime.purchase(order, { totalTimeout: 500 }));
    expect(error).toMatchObject({ ...expected, idempotencyKey: 'order-1' });
    expect(performance.now() - startedAt).toBe(500);
    expect(sent).toHaveLength(grants);
    // So that the pacer can let the call leave its queue.
    expect(signals.at(-1)?.aborted).toBe(true);
  });

  it.each([
    [0, { mayHaveCharged: false, attempts: 0 }],
    [1, { mayHaveCharged: true, attempts: 1 }],
  ])('after %i grants does not outlast an abort', async (grants, expected) => {
    const { fetch, sent } = script(page(500));
    const controller = new AbortController();
    const { signal } = controller;
    const billpay = clientWith(fetch, { pacing: silentAfter(grants), retryDelay: () => 10 });
    const startedAt = performance.now();
    setTimeout(() => controller.abort(), 300);
    const error = await rejected(billpay.airtime.purchase(order, { totalTimeout: 60_000, signal }));
    expect(error).toMatchObject({ name: 'AbortError', ...expected });
    expect(performance.now() - startedAt).toBe(300);
    expect(sent).toHaveLength(grants);
  });

  it('that rejects because of the abort is not reported as one that failed', async () => {
    const { lines, logger } = keptLines();
    const pacing: Pacer = {
      ...silentAfter(0),
      join: () => ({
        forecastMs: () => 0,
        grant: (_, signal) =>
          new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      }),
    };
    const { fetch, sent } = script();
    const billpay = clientWith(fetch, { pacing, logger });
    const error = await rejected(billpay.airtime.purchase(order, { totalTimeout: 500 }));
    expect(error).toMatchObject({ name: 'TimeoutError', mayHaveCharged: false });
    expect([sent, lines]).toEqual([[], []]);
  });
});
