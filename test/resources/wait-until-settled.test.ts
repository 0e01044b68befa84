import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkWaitMs } from '../../src/resources/wait-until-settled.js';
import { ended, quiet, rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  clientWith,
  endless,
  json,
  page,
  refusal,
  refused,
  reset,
  type Step,
  script,
  silent,
  transaction,
} from '../support/script.js';

useFakeClock();

beforeEach(() => {
  // In the middle of its jitter every wait has its nominal length.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const pending = transaction('pending');
const success = transaction('success', { token: null, completed_at: '2026-01-31 10:31:00' });
const failed = transaction('failed', { completed_at: '2026-01-31 10:31:00' });
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

/** A wait over scripted lookups; `looks()` are the ms after which each began. */
function waiting(...steps: readonly Step[]) {
  const { fetch, sent } = script(...steps);
  const startedAt = performance.now();
  return {
    transactions: clientWith(fetch).transactions,
    sent,
    looks: () => sent.map(({ at }) => at - startedAt),
    elapsed: () => performance.now() - startedAt,
  };
}

describe('checkWaitMs', () => {
  it('lies within a fifth below and above', () => {
    expect(checkWaitMs(1, 2000, 0)).toBe(1600);
    expect(checkWaitMs(1, 2000, 1 - 2 ** -53)).toBe(2400);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, first, random) => {
          const wait = checkWaitMs(n, first, random);
          const longest = Math.max(first, 30_000);
          expect(wait).toBeGreaterThanOrEqual(Math.floor(0.8 * first));
          expect(wait).toBeLessThanOrEqual(Math.ceil(1.2 * longest));
          expect(Number.isInteger(wait)).toBe(true);
        },
      ),
    );
  });
});

describe('the lookups', () => {
  it('begin after about 2 s, and grow to 30 s', async () => {
    const wait = waiting(...Array<Step>(10).fill(pending), success);
    await resolved(wait.transactions.waitUntilSettled('TXN-1'));
    const waits = wait.looks().map((at, n, all) => at - (all[n - 1] ?? 0));
    expect(waits).toEqual([2000, 3000, 4500, 6750, 10_125, 15_188, 22_781, 30_000, 30_000, 30_000, 30_000]);
  });

  it('begin after the interval that was asked for, and grow from there', async () => {
    const wait = waiting(pending, pending, success);
    await resolved(wait.transactions.waitUntilSettled('TXN-1', { interval: 100 }));
    expect(wait.looks()).toEqual([100, 250, 475]);
  });

  it('are not retried by themselves: the next lookup is the retry', async () => {
    const wait = waiting(page(502), success);
    await resolved(wait.transactions.waitUntilSettled('TXN-1'));
    expect(wait.looks()).toEqual([2000, 5000]);
  });

  it('ask for the reference, with the options of the client', async () => {
    const wait = waiting(transaction('success', { reference: 'TXN/1 ü' }));
    await resolved(wait.transactions.waitUntilSettled('TXN/1 ü'));
    expect(wait.sent[0]?.url).toBe(
      'https://service.test/api/v1/transactions/status?client_id=client-1&reference=TXN%2F1+%C3%BC',
    );
    expect(wait.sent[0]?.headers.get('authorization')).toBe('Bearer sk_test_4f9c1d7e');
  });
});

describe('a purchase that failed without a refund', () => {
  const unrefunded = transaction('failed', { refunded: false });

  it.each([undefined, 'wait' as const])('is looked up until the refund (refund: %s)', async (refund) => {
    const wait = waiting(pending, unrefunded, unrefunded, failed);
    const settled = await resolved(wait.transactions.waitUntilSettled('TXN-1', { refund }));
    expect(settled).toMatchObject({ transaction_status: 'failed', refunded: true });
    expect(wait.sent).toHaveLength(4);
  });

  it('ends in a time-out that says so, with the failed transaction', async () => {
    const wait = waiting(...Array<Step>(10).fill(unrefunded));
    const error = await rejected(wait.transactions.waitUntilSettled('TXN-1', { timeout: 20_000 }));
    expect(wait.elapsed()).toBe(20_000);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      transaction: { transaction_status: 'failed', refunded: false },
      message: expect.stringContaining('the transaction failed, and the wallet has not been refunded yet'),
    });
  });

  it('is the end at once for those who ignore the refund', async () => {
    const wait = waiting(unrefunded);
    const settled = await resolved(wait.transactions.waitUntilSettled('TXN-1', { refund: 'ignore' }));
    expect(settled).toMatchObject({ transaction_status: 'failed', refunded: false });
  });
});

describe('a response about another transaction', () => {
  const other = transaction('success', { reference: 'TXN-OTHER' });

  it('ends the wait at once', async () => {
    const wait = waiting(pending, other, success);
    const error = await rejected(wait.transactions.waitUntilSettled('TXN-1'));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', status: 200 });
    expect(wait.sent).toHaveLength(2);
  });

  it.each(['TXN-OTHER', 20262])(
    'is refused by a status lookup, and never repeated: %j',
    async (reference) => {
      const wait = waiting(transaction('success', { reference }));
      expect(await rejected(wait.transactions.status('TXN-1'))).toMatchObject({
        name: 'UnexpectedResponseError',
        message: expect.stringContaining(String(reference)),
        otherReference: String(reference),
        attempts: 1,
      });
    },
  );

  it.each<[string, unknown]>([
    ['the same reference', '20261'],
    ['the same as a number', 20261],
    ['no reference', undefined],
    ['an empty reference', ''],
    ['a reference that is no text', null],
  ])('is not one that names %s', async (_, reference) => {
    const wait = waiting(transaction('success', { reference }));
    await resolved(wait.transactions.waitUntilSettled('20261'));
    expect(wait.sent).toHaveLength(1);
  });
});

describe('a lookup that fails for now', () => {
  it.each<[string, Step]>([
    ['no answer', silent],
    ['a body that never ends', endless(200)],
  ])('%s: the wait continues after the timeout of one attempt', async (_, step) => {
    const wait = waiting(step, success);
    await resolved(wait.transactions.waitUntilSettled('TXN-1'));
    expect(wait.looks()).toEqual([2000, 35_000]);
  });
});

describe('a 429', () => {
  const limited = (retryAfter: string) => refusal(429, 'RATE_LIMITED', { 'retry-after': retryAfter });

  it('says how long to wait, and then the pace continues', async () => {
    const wait = waiting(limited('20'), pending, success);
    await resolved(wait.transactions.waitUntilSettled('TXN-1'));
    expect(wait.looks()).toEqual([2000, 22_000, 26_500]);
  });

  it('that asks for more than is left is waited out, and is the cause', async () => {
    const wait = waiting(pending, limited('3600'));
    const error = await rejected(wait.transactions.waitUntilSettled('TXN-1', { timeout: 60_000 }));
    expect(wait.elapsed()).toBe(60_000);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      transaction: { transaction_status: 'pending' },
      cause: { name: 'RateLimitError', retryAfterSeconds: 3600 },
    });
  });
});

describe('the timeout', () => {
  it('holds the transaction as last seen', async () => {
    const wait = waiting(pending, pending, transaction('pending', { updated_at: 'later' }), pending);
    const error = await rejected(wait.transactions.waitUntilSettled('TXN-1', { timeout: 8000 }));
    expect(wait.elapsed()).toBe(8000);
    expect(wait.looks()).toEqual([2000, 5000, 8000]);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      code: 'TIMEOUT',
      operation: 'transactions.waitUntilSettled',
      attempts: 3,
      mayHaveCharged: false,
      transaction: { transaction_status: 'pending', updated_at: 'later' },
      message:
        'transactions.waitUntilSettled gave up after 8000 ms and 3 status checks: the transaction is still pending. That does not mean that it failed: keep the reference, and let the webhook or a later status check settle it.',
    });
    expect(error).not.toHaveProperty('cause');
  });

  it('holds the last error when no lookup succeeded', async () => {
    const wait = waiting(refused, page(503), page(502));
    const error = await rejected(wait.transactions.waitUntilSettled('TXN-1', { timeout: 6000 }));
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: expect.stringContaining('3 status checks: no status check succeeded.'),
      cause: { name: 'ServerError', status: 502 },
    });
    expect(error).toHaveProperty('transaction', undefined);
  });

  it('ends a lookup that is under way, and the one after it within 2,000 ms', async () => {
    const wait = waiting(pending, silent, silent);
    const error = await rejected(wait.transactions.waitUntilSettled('TXN-1', { timeout: 9000 }));
    expect(wait.looks()).toEqual([2000, 5000, 9000]);
    expect(wait.elapsed()).toBe(11_000);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      operation: 'transactions.waitUntilSettled',
      attempts: 3,
      transaction: { transaction_status: 'pending' },
      cause: { name: 'TimeoutError', operation: 'transactions.status' },
    });
  });

  it.each([1, 100, 1999])(
    'of %i ms, shorter than the first wait, still allows one lookup',
    async (timeout) => {
      const wait = waiting(success);
      const settled = await resolved(wait.transactions.waitUntilSettled('TXN-1', { timeout }));
      expect(settled.transaction_status).toBe('success');
      expect(wait.looks()).toEqual([timeout]);
    },
  );

  it('returns a purchase that settled after the lookup before it', async () => {
    const wait = waiting(pending, success);
    const settled = await resolved(wait.transactions.waitUntilSettled('TXN-1', { timeout: 3500 }));
    expect(settled.transaction_status).toBe('success');
    expect(wait.looks()).toEqual([2000, 3500]);
  });

  it('applies even when a late timer has used up the time of the last lookup', async () => {
    const wait = waiting(pending, pending, pending);
    const call = wait.transactions.waitUntilSettled('TXN-1', { timeout: 5100 });
    call.catch(() => {});
    await quiet();
    vi.advanceTimersByTime(2000);
    await quiet();
    // The event loop was busy: the timer of 3,000 ms fires 500 ms late.
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 500);
    expect(await rejected(call)).toMatchObject({ name: 'TimeoutError', attempts: 3 });
  });
});

describe('onUpdate', () => {
  it('is called with each transaction that was seen, the last one included', async () => {
    const wait = waiting(pending, refused, transaction('processing'), success);
    const onUpdate = vi.fn();
    const settled = await resolved(wait.transactions.waitUntilSettled('TXN-1', { onUpdate }));
    expect(onUpdate.mock.calls.map(([seen]) => seen.transaction_status)).toEqual([
      'pending',
      'processing',
      'success',
    ]);
    expect(onUpdate.mock.lastCall).toEqual([settled]);
  });
});

describe('an abort', () => {
  it('before the wait sends nothing', async () => {
    const wait = waiting();
    const error = await rejected(
      wait.transactions.waitUntilSettled('TXN-1', { signal: AbortSignal.abort('enough') }),
    );
    expect(error).toMatchObject({
      name: 'AbortError',
      code: 'ABORTED',
      operation: 'transactions.waitUntilSettled',
      attempts: 0,
      cause: 'enough',
    });
    expect(wait.elapsed()).toBe(0);
  });

  it.each<[string, readonly Step[], number, number]>([
    ['in the first wait', [], 500, 0],
    ['in a later wait', [pending], 2500, 1],
    ['in a look', [pending, silent], 5500, 2],
  ])('%s ends it at once', async (_, steps, at, attempts) => {
    const wait = waiting(...steps);
    const controller = new AbortController();
    const reason = new Error('the customer left');
    setTimeout(() => controller.abort(reason), at);
    const error = await rejected(wait.transactions.waitUntilSettled('TXN-1', { signal: controller.signal }));
    expect(error).toMatchObject({
      name: 'AbortError',
      operation: 'transactions.waitUntilSettled',
      attempts,
      mayHaveCharged: false,
      cause: reason,
    });
    expect(wait.elapsed()).toBe(at);
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners(controller.signal)).toBe(0);
  });
});

describe('what is refused before any wait', () => {
  it.each<[string, unknown, unknown, object]>([
    [
      'an empty reference',
      ' ',
      undefined,
      { name: 'ValidationError', errors: { reference: expect.any(String) } },
    ],
    ['a reference that is a number', 12_345, undefined, { name: 'ValidationError', attempts: 0 }],
    ['options that are none', 'TXN-1', 5, { name: 'ConfigurationError', option: 'options' }],
    ['a negative timeout', 'TXN-1', { timeout: -1 }, { name: 'ConfigurationError', option: 'timeout' }],
    ['an interval of nothing', 'TXN-1', { interval: 0 }, { name: 'ConfigurationError', option: 'interval' }],
    ['a controller', 'TXN-1', { signal: new AbortController() }, { option: 'signal' }],
    ['an onUpdate that is none', 'TXN-1', { onUpdate: 'log' }, { option: 'onUpdate' }],
    ['an unknown refund', 'TXN-1', { refund: 'later' }, { name: 'ConfigurationError', option: 'refund' }],
  ])('%s', async (_, reference, options, expected) => {
    const wait = waiting();
    // What callers without types may hand over.
    const untyped: { waitUntilSettled(...args: unknown[]): Promise<unknown> } = Object(wait.transactions);
    const call = untyped.waitUntilSettled(reference, options);
    expect(await rejected(call)).toMatchObject(expected);
    expect(wait.elapsed()).toBe(0);
  });
});

it('for any course of lookups ends at the first settled one, at a refusal, or in time', async () => {
  const courses = {
    pending,
    unknown: transaction('reversed'),
    refused,
    reset,
    silent,
    limited: refusal(429, 'RATE_LIMITED', { 'retry-after': '90' }),
    down: page(503),
    patience: page(408),
    unreadable: page(200),
    incomplete: json(200, { status: 'success', data: { reference: 'TXN-1' } }),
    'an error as a success': json(200, { status: 'error', message: 'later' }),
    unrefunded: transaction('failed', { refunded: false }),
    success,
    failed,
    denied: refusal(401, 'UNAUTHORIZED'),
    missing: page(404),
    other: transaction('success', { reference: 'TXN-OTHER' }),
  };
  const refusals: Readonly<Record<string, string>> = {
    denied: 'AuthenticationError',
    missing: 'NotFoundError',
    other: 'UnexpectedResponseError',
  };
  const name = fc.constantFrom(...(Object.keys(courses) as (keyof typeof courses)[]));
  const timeout = fc.integer({ min: 1, max: 900_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(name, { maxLength: 12 }), timeout, async (names, ms) => {
      const wait = waiting(...names.map((at) => courses[at]), ...Array<Step>(60).fill(pending));
      const ending = await ended(wait.transactions.waitUntilSettled('TXN-1', { timeout: ms }));
      // The lookup at the time-out may take 2,000 ms more.
      expect(wait.elapsed()).toBeLessThanOrEqual(ms + 2000);
      expect(wait.sent.length).toBeGreaterThan(0);
      const seen = names.slice(0, wait.sent.length);
      const final = seen.findIndex((at) => at === 'success' || at === 'failed' || at in refusals);
      if (final === -1) {
        expect(ending).toMatchObject({ error: { name: 'TimeoutError', attempts: wait.sent.length } });
        expect(wait.elapsed()).toBeGreaterThanOrEqual(ms);
      } else {
        expect(final).toBe(seen.length - 1);
        const name = refusals[String(seen[final])];
        expect(ending).toMatchObject(
          name ? { error: { name, mayHaveCharged: false } } : { value: { transaction_status: seen[final] } },
        );
        expect(vi.getTimerCount()).toBe(0);
      }
    }),
  );
});
