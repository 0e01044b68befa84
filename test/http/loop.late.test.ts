import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Pacer } from '../../src/pacing/pacer.js';
import type { Ticket } from '../../src/pacing/tickets.js';
import { quiet, rejected, resolved, useFakeClock } from '../support/clock.js';
import { accepted, airtime, clientWith, keptLines, refusal, reset, script } from '../support/script.js';

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const order = { ...airtime, idempotency_key: 'order-1' };

/** A pacer whose places do what a test says. */
const pacerOf = (place: Partial<Ticket>, more: Partial<Pacer> = {}): Pacer => ({
  stats: () => ({ waiting: 0, sent: 0, nextPurchaseAt: new Date(), nextRequestAt: new Date() }),
  pause: () => {},
  join: () => ({
    forecastMs: () => 0,
    grant: () => Promise.resolve({ granted: true }),
    ...place,
  }),
  ...more,
});

describe('when the event loop was late, nothing is sent after the deadline', () => {
  /** Lets the clock run on while no timer fires, as in a long computation. */
  const late = (ms: number) => {
    const at = performance.now() + ms;
    vi.spyOn(performance, 'now').mockImplementation(() => at);
  };

  it.each([1000, 2000])('not a first request whose grant came after %i ms of 1000', async (ms) => {
    const pacing = pacerOf({
      grant: async () => {
        late(ms);
        return { granted: true };
      },
    });
    const { fetch, sent } = script();
    const call = clientWith(fetch, { pacing, totalTimeout: 1000 }).airtime.purchase(order);
    expect(await rejected(call)).toMatchObject({
      name: 'TimeoutError',
      attempts: 0,
      idempotencyKey: 'order-1',
      mayHaveCharged: false,
      message: expect.stringContaining(
        'was not sent: its totalTimeout of 1000 ms had passed, because this process was busy or suspended. This call charged nothing. Call again.',
      ),
    });
    expect(sent).toHaveLength(0);
  });

  it.each([
    [refusal(503, 'QUEUE_UNAVAILABLE'), 'QueueUnavailableError', false],
    [reset, 'ConnectionError', true],
  ] as const)('not a repeat: %#', async (step, name, mayHaveCharged) => {
    const { fetch, sent } = script(step, accepted());
    const call = clientWith(fetch, { totalTimeout: 1000 }).airtime.purchase(order);
    call.catch(() => {});
    await quiet();
    late(2000);
    expect(await rejected(call)).toMatchObject({ name, attempts: 1, mayHaveCharged });
    expect(sent).toHaveLength(1);
  });
});

describe('a pacer that fails neither ends a call nor hides what is known of the money', () => {
  const gone = () => {
    throw new Error('the store is gone');
  };

  it.each<[string, Pacer]>([
    ['whose grant rejects', pacerOf({ grant: () => Promise.reject(new Error('the store is gone')) })],
    ['whose grant throws', pacerOf({ grant: gone })],
    ['whose join throws', pacerOf({}, { join: gone })],
  ])('%s', async (_, pacing) => {
    const { fetch, sent } = script(accepted());
    const { lines, logger } = keptLines();
    const billpay = clientWith(fetch, { pacing, logger, logLevel: 'error' });
    expect(await resolved(billpay.airtime.purchase(order))).toMatchObject({ reference: 'TXN-1' });
    expect(sent).toHaveLength(1);
    const fields = { operation: 'airtime.purchase' };
    expect(lines).toEqual([['error', expect.stringContaining('the pacer failed (Error)'), fields]]);
  });

  it.each<[string, Pacer]>([
    ['whose estimate throws', pacerOf({ forecastMs: gone })],
    ['whose estimate is no number', pacerOf({ forecastMs: () => Number.NaN })],
    ['whose pause throws', pacerOf({}, { pause: gone })],
    // Vitest fails a run in which a rejection is not handled.
    ['whose pause rejects', pacerOf({}, { pause: async () => gone() })],
    ['whose estimate rejects', pacerOf({ forecastMs: (async () => gone()) as never })],
    ['whose grant throws later', pacerOf({ grant: gone })],
  ])('%s, after an attempt in doubt', async (_, pacing) => {
    const { fetch, sent } = script(reset, refusal(429, 'RATE_LIMITED'), refusal(402, 'INSUFFICIENT_BALANCE'));
    expect(await rejected(clientWith(fetch, { pacing }).airtime.purchase(order))).toMatchObject({
      name: 'InsufficientBalanceError',
      attempts: 3,
      idempotencyKey: 'order-1',
      mayHaveCharged: true,
    });
    expect(sent).toHaveLength(3);
  });
});

describe('retryDelay', () => {
  const down = refusal(503, 'QUEUE_UNAVAILABLE');

  it('replaces the backoff, attempt by attempt', async () => {
    const attempts: number[] = [];
    const retryDelay = (attempt: number) => {
      attempts.push(attempt);
      return attempt * 1000;
    };
    const run = script(down, down, accepted());
    await resolved(clientWith(run.fetch, { retryDelay }).airtime.purchase(order));
    expect(attempts).toEqual([1, 2]);
    const [first = 0, second = 0] = run.waits();
    expect(first).toBeGreaterThanOrEqual(500);
    expect(first).toBeLessThanOrEqual(1000);
    expect(second).toBeGreaterThanOrEqual(1000);
    expect(second).toBeLessThanOrEqual(2000);
  });

  it('may be nothing at all', async () => {
    const run = script(down, reset, down, accepted());
    await resolved(clientWith(run.fetch, { retryDelay: () => 0 }).airtime.purchase(order));
    expect(run.waits()).toEqual([0, 0, 0]);
  });

  it('is never below what the service asks for', async () => {
    const run = script(refusal(503, 'QUEUE_UNAVAILABLE', { 'retry-after': '7' }), accepted());
    await resolved(clientWith(run.fetch, { retryDelay: () => 1 }).airtime.purchase(order));
    expect(run.waits()).toEqual([7000]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('no');
      },
    ],
    ['gives text', () => '5'],
    ['gives less than nothing', () => -1],
    ['gives no number', () => Number.NaN],
  ])('that %s leaves the built-in backoff, and the log says so', async (_, retryDelay) => {
    const run = script(down, accepted());
    const { messages, logger } = keptLines();
    const options = { retryDelay: Object(retryDelay), logger, logLevel: 'error' } as const;
    await resolved(clientWith(run.fetch, options).airtime.purchase(order));
    expect(run.waits()[0]).toBeGreaterThanOrEqual(250);
    expect(messages()).toEqual([expect.stringMatching(/^billpay retryDelay .+ built-in backoff is used$/)]);
  });
});

describe('a difference that is accepted as the same purchase', () => {
  const bought = async (echo: object, key: object = { idempotency_key: 'order-1' }) => {
    const { lines, logger } = keptLines();
    const { fetch } = script(accepted(echo));
    const billpay = clientWith(fetch, { logger, logLevel: 'info' });
    return { result: await billpay.airtime.purchase({ ...airtime, ...key }), lines };
  };

  it('is on the result and a line of the log, with the middle of a recipient hidden', async () => {
    const { result, lines } = await bought({ amount: 550, recipient: '+2348031234567' });
    expect(result).toMatchObject({
      amount: 550,
      differences: [
        { field: 'recipient', asked: airtime.recipient, echoed: '+2348031234567' },
        { field: 'amount', asked: 500, echoed: 550 },
      ],
    });
    expect(lines).toMatchObject([
      [
        'info',
        expect.stringMatching(
          /recipient \+234\*{7}567 for 0803\*{4}567.* amount 550 for 500.* the same purchase/,
        ),
        { operation: 'airtime.purchase', idempotencyKey: 'order-1', differences: { length: 2 } },
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain('1234567');
  });

  it('is none where nothing differs, or the key was made for the call', async () => {
    for (const { result, lines } of [await bought({}), await bought({ amount: 550 }, {})]) {
      expect(result).not.toHaveProperty('differences');
      expect(lines).toEqual([]);
    }
  });
});
