import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { BillPay } from '../../src/client.js';
import type { AttemptRecord } from '../../src/options.js';
import { createPacer, type Pacer, type PacerOptions, SlidingWindow } from '../../src/pacing/pacer.js';
import type { Grant } from '../../src/pacing/tickets.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';
import { quiet, useFakeClock } from '../support/clock.js';

useFakeClock();

const minute = 60_000;
/** The margin for requests that do not all take equally long. */
const jitter = 250;

/** Records how a grant ends, and when. */
function watch(grant: Promise<Grant>) {
  const seen: { grant?: Grant; at?: number } = {};
  grant.then((end) => Object.assign(seen, { grant: end, at: performance.now() }));
  return seen;
}

const take = (
  pacer: Pacer,
  kind: 'purchase' | 'read' | 'poll' = 'purchase',
  within = 10 * minute,
  signal?: AbortSignal,
) => watch(pacer.join(kind).grant(within, signal));

describe('the queue', () => {
  it('lets the limit through at once and the next a minute later, first come, first served', async () => {
    const pacer = createPacer({ purchasesPerMinute: 2 });
    const startedAt = performance.now();
    const grants = [1, 2, 3, 4, 5].map(() => take(pacer));
    await quiet();
    expect(grants.map(({ at }) => at)).toEqual([startedAt, startedAt, undefined, undefined, undefined]);
    await vi.advanceTimersByTimeAsync(minute + jitter - 1);
    expect(grants[2]?.grant).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(grants.map(({ grant }) => grant?.granted)).toEqual([true, true, true, true, undefined]);
    await vi.advanceTimersByTimeAsync(minute + jitter);
    expect(grants[4]?.at).toBe(startedAt + 2 * (minute + jitter));
  });

  it('does not delay a read behind purchases that wait for their own window', async () => {
    const pacer = createPacer({ purchasesPerMinute: 1, requestsPerMinute: 3 });
    const purchases = [take(pacer), take(pacer), take(pacer)];
    const read = take(pacer, 'read');
    await quiet();
    expect(purchases.map(({ grant }) => grant?.granted)).toEqual([true, undefined, undefined]);
    expect(read.grant?.granted).toBe(true);
  });

  it('keeps a request free for a purchase that came before', async () => {
    const pacer = createPacer({ purchasesPerMinute: 1, requestsPerMinute: 3 });
    take(pacer);
    take(pacer);
    const reads = [take(pacer, 'read'), take(pacer, 'read')];
    await quiet();
    expect(reads.map(({ grant }) => grant?.granted)).toEqual([true, undefined]);
  });

  it('serves status lookups after everything else', async () => {
    const pacer = createPacer({ requestsPerMinute: 1 });
    take(pacer, 'read');
    const poll = take(pacer, 'poll');
    const purchase = take(pacer);
    const read = take(pacer, 'read');
    const order: string[] = [];
    for (let round = 0; round < 3; round++) {
      await vi.advanceTimersByTimeAsync(minute + jitter);
      for (const [name, { grant }] of Object.entries({ poll, purchase, read })) {
        if (grant && !order.includes(name)) order.push(name);
      }
    }
    expect(order).toEqual(['purchase', 'read', 'poll']);
  });

  it('gives a call that returns for a retry its old place', async () => {
    const pacer = createPacer({ purchasesPerMinute: 1 });
    const early = pacer.join('purchase');
    await early.grant(minute, undefined);
    const other = take(pacer);
    const again = watch(early.grant(10 * minute, undefined));
    await vi.advanceTimersByTimeAsync(minute + jitter);
    expect([again.grant?.granted, other.grant?.granted]).toEqual([true, undefined]);
  });

  it('pauses all calls once, and refuses those whose grant would then come too late', async () => {
    const pacer = createPacer({ purchasesPerMinute: 1 });
    take(pacer);
    const patient = take(pacer);
    const hurried = take(pacer, 'read', 5_000);
    await quiet();
    expect(hurried.grant?.granted).toBe(true);
    pacer.pause(90_000);
    pacer.pause(10_000);
    const late = take(pacer, 'read', 30_000);
    await quiet();
    expect(late.grant).toEqual({ granted: false, inMs: 90_000 });
    await vi.advanceTimersByTimeAsync(89_999);
    expect(patient.grant).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(patient.grant?.granted).toBe(true);
  });

  it('reports its state', async () => {
    const pacer = createPacer({ purchasesPerMinute: 1, requestsPerMinute: 10, reserve: 8 });
    const startedAt = Date.now();
    take(pacer);
    take(pacer);
    await quiet();
    expect(pacer.stats()).toEqual({
      waiting: 1,
      sent: 1,
      nextPurchaseAt: new Date(startedAt + 2 * (minute + jitter)),
      nextRequestAt: new Date(startedAt + minute + jitter),
    });
  });

  it.each([
    ['purchasesPerMinute', { purchasesPerMinute: 0 }],
    ['requestsPerMinute', { requestsPerMinute: 1.5 }],
    ['reserve', { reserve: -1 }],
    ['reserve', { reserve: 60 }],
    ['perMinute', { perMinute: 5 }],
  ])('refuses a wrong %s', (option, options) => {
    expect(() => createPacer(options as PacerOptions)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option }),
    );
  });
});

/** A sandbox on its manual clock, and a client whose own clock moves with it. */
function world(options: ConstructorParameters<typeof BillPay>[0] = {}) {
  const sandbox = createSandbox({
    clock: 'manual',
    rateLimits: true,
    balance: 10_000_000,
    settleAfter: 'manual',
  });
  const records: AttemptRecord[] = [];
  const client = (more: typeof options = {}) =>
    new BillPay({
      ...sandbox.connection,
      totalTimeout: 60 * minute,
      onAttempt: (record) => records.push(record),
      ...options,
      ...more,
    });
  return { sandbox, records, client };
}

const tick = 250;

/** Lets time pass for both the client's timers and the sandbox's clock. */
async function together<T>(sandbox: Sandbox, work: Promise<T>): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  for (;;) {
    await quiet();
    if (over) return work;
    // The service's clock first, or it would see present requests at the time of the step before.
    await sandbox.advance(tick);
    vi.advanceTimersByTime(tick);
  }
}

const order = (id: string) => ({ biller: 'MTN', recipient: '08031234567', amount: 100, idempotency_key: id });

describe('a paced client', () => {
  it('sells 200 within 1% of the least possible time, with no 429 at all', async () => {
    const { sandbox, records, client } = world({ pacing: createPacer() });
    const billpay = client();
    const startedAt = performance.now();
    await together(
      sandbox,
      Promise.all(Array.from({ length: 200 }, (_, i) => billpay.airtime.purchase(order(`o-${i}`)))),
    );
    const took = performance.now() - startedAt;
    // 20 at once, and 20 more after each of nine whole minutes.
    const least = 9 * minute;
    expect(took).toBeGreaterThanOrEqual(least);
    expect(took).toBeLessThanOrEqual(least * 1.01);
    expect(records.filter(({ status }) => status === 429)).toEqual([]);
    expect(records).toHaveLength(200);
    expect(sandbox.audit()).toMatchObject({ ok: true });
    expect(sandbox.transactions).toHaveLength(200);
  });

  it('shares one pacer among the clients of a key, status lookups included', async () => {
    const { sandbox, records, client } = world();
    const pacing = createPacer();
    const [one, two] = [client({ pacing }), client({ pacing })];
    const sell = Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const billpay = i % 2 ? one : two;
        const { reference } = await billpay.airtime.purchase(order(`o-${i}`));
        await billpay.transactions.status(reference);
      }),
    );
    await together(sandbox, sell);
    expect(records.filter(({ status }) => status === 429)).toEqual([]);
    expect(pacing.stats()).toMatchObject({ waiting: 0, sent: 120 });
  });

  it('refuses at once what cannot be sent within totalTimeout, like a 429 before it happens', async () => {
    const { records, client } = world({
      pacing: createPacer({ purchasesPerMinute: 1 }),
      totalTimeout: 30_000,
    });
    const billpay = client();
    await billpay.airtime.purchase(order('a'));
    const error = await billpay.airtime.purchase(order('b')).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'RateLimitError',
      code: 'RATE_LIMITED',
      status: undefined,
      retryAfterSeconds: 61,
      mayHaveCharged: false,
      attempts: 0,
      idempotencyKey: 'b',
      operation: 'airtime.purchase',
    });
    expect(error).toHaveProperty('message', expect.stringContaining('it can be sent in 61 s'));
    expect(records).toHaveLength(1);
  });

  it('pauses all calls on a 429 that comes all the same, and meets no other', async () => {
    const { sandbox, records, client } = world({ pacing: createPacer() });
    // Another process sells under the same key.
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        client({ pacing: undefined }).airtime.purchase(order(`other-${i}`)),
      ),
    );
    const billpay = client();
    const first = billpay.airtime.purchase(order('first'));
    await quiet();
    const rest = Array.from({ length: 10 }, (_, i) => billpay.airtime.purchase(order(`o-${i}`)));
    await together(sandbox, Promise.all([first, ...rest]));
    const own = records.filter(({ idempotencyKey }) => !idempotencyKey?.startsWith('other'));
    expect(own.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(own.filter(({ status }) => status === 202)).toHaveLength(11);
  });
});

it('never grants more than the limit in any period, and foresees what then happens', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 40 }),
      fc.integer({ min: 0, max: 12 }),
      (limit, gaps, ahead) => {
        const periodMs = 100;
        const window = new SlidingWindow(limit, periodMs);
        const grants: number[] = [];
        let now = 0;
        const grantNext = () => {
          now = Math.max(now, window.freeAt(now));
          window.grant(now);
          grants.push(now);
        };
        for (const gap of gaps) {
          now += gap;
          grantNext();
        }
        const foreseen = window.freeAt(now, ahead);
        for (let i = 0; i < ahead; i++) grantNext();
        expect(Math.max(now, window.freeAt(now))).toBe(foreseen);
        grants.forEach((at, i) => {
          const next = grants[i + limit];
          if (next !== undefined) expect(next - at).toBeGreaterThanOrEqual(periodMs);
        });
      },
    ),
  );
});
