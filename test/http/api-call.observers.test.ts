import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import type { BillPayOptions, CallRecord, PurchaseOptions } from '../../src/index.js';
import type { CallInfo } from '../../src/options.js';
import { rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  catalogue,
  clientWith,
  keptLines,
  refusal,
  reset,
  type Step,
  script,
} from '../support/script.js';

useFakeClock();

const order = { ...airtime, idempotency_key: 'order-1' };
const baseUrl = 'https://service.test/api/v1';
const unaffected = 'the call is not affected';
const thrown = () => {
  throw new TypeError('callback');
};

/** A client that keeps what `onCall` was called with. */
function watched(steps: readonly Step[], options: BillPayOptions = {}) {
  const records: CallRecord[] = [];
  const run = script(...steps);
  const onCall = (record: CallRecord) => void records.push(record);
  return { records, sent: run.sent, billpay: clientWith(run.fetch, { onCall, ...options }) };
}

describe('onCall', () => {
  it('fires once for a call that succeeds, with its attempts and its time', async () => {
    const { records, billpay } = watched([refusal(429, 'RATE_LIMITED', { 'retry-after': '3' }), accepted()]);
    vi.advanceTimersByTime(1000);
    await resolved(billpay.airtime.purchase(order));
    expect(records).toStrictEqual([
      {
        operation: 'airtime.purchase',
        baseUrl,
        idempotencyKey: 'order-1',
        attempts: 2,
        durationMs: 3000,
        outcome: 'success',
      },
    ]);
  });

  it('has the key that was made for the call', async () => {
    const { records, billpay } = watched([accepted()]);
    const { idempotency_key } = await resolved(billpay.airtime.purchase(airtime));
    expect(records).toMatchObject([{ idempotencyKey: idempotency_key }]);
  });

  it.each<[string, Step, PurchaseOptions, CallRecord['outcome']]>([
    ['nothing was charged', refusal(402, 'INSUFFICIENT_BALANCE'), {}, 'failure'],
    ['it may have been charged', reset, {}, 'unknown'],
    ['an earlier call may have charged', refusal(402, 'INSUFFICIENT_BALANCE'), { resume: true }, 'unknown'],
  ])('fires once for a call that fails: %s', async (_, step, options, outcome) => {
    const { records, billpay } = watched([step], { maxRetries: 0 });
    const error = await rejected(billpay.airtime.purchase(order, options));
    expect(records).toMatchObject([{ idempotencyKey: 'order-1', attempts: 1, outcome }]);
    expect(records[0]?.error).toBe(error);
  });

  it('fires for a call that was refused before anything was sent', async () => {
    const { records, billpay, sent } = watched([]);
    const errors = [
      await rejected(billpay.airtime.purchase({ ...order, amount: -1 })),
      await rejected(billpay.purchase(Object({ product: 'water', params: {}, idempotency_key: 'order-2' }))),
      await rejected(billpay.request({ method: 'GET', path: 'x' })),
      await rejected(billpay.airtime.purchase(Object({ ...order, idempotency_key: 5 }))),
    ];
    expect(sent).toHaveLength(0);
    expect(records).toMatchObject([
      { operation: 'airtime.purchase', idempotencyKey: 'order-1', attempts: 0, outcome: 'failure' },
      { operation: 'purchase', idempotencyKey: 'order-2', attempts: 0, outcome: 'failure' },
      { operation: 'request', attempts: 0, outcome: 'failure' },
      { operation: 'airtime.purchase', attempts: 0, outcome: 'failure' },
    ]);
    for (const record of records.slice(2)) expect(record).not.toHaveProperty('idempotencyKey');
    expect(errors[3]).toHaveProperty('idempotencyKey', undefined);
    expect(records.map(({ error }) => error)).toEqual(errors);
  });

  it.each<[string, BillPayOptions['onCall']]>([
    ['throws', thrown],
    ['rejects', Object(async () => thrown())],
  ])('that %s changes nothing, and the log says so', async (_, onCall) => {
    const { lines, logger } = keptLines();
    const { billpay } = watched([accepted(), reset], { onCall, maxRetries: 0, logger, logLevel: 'error' });
    expect(await resolved(billpay.airtime.purchase(order))).toMatchObject({ reference: 'TXN-1' });
    expect(await rejected(billpay.airtime.purchase(order))).toMatchObject({ name: 'ConnectionError' });
    const fields = { operation: 'airtime.purchase', baseUrl, idempotencyKey: 'order-1' };
    expect(lines).toEqual(
      Array(2).fill(['error', `billpay onCall threw (TypeError); ${unaffected}`, fields]),
    );
  });
});

describe('aroundCall', () => {
  it('starts the call within its own context, and gets its outcome', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const { billpay } = watched([reset, accepted()], {
      maxRetries: 0,
      headers: () => ({ traceparent: storage.getStore() ?? 'none' }),
      aroundCall: (call, next) => storage.run('trace-1', async () => seen.push(call, await next())),
    });
    const info: CallInfo = { operation: 'airtime.purchase', baseUrl, idempotencyKey: 'order-1' };
    const error = await rejected(billpay.airtime.purchase(order));
    await resolved(billpay.airtime.purchase(order));
    expect(seen).toMatchObject([
      info,
      { ...info, outcome: 'unknown', attempts: 1, error },
      info,
      { ...info, outcome: 'success', attempts: 1 },
    ]);
  });

  it.each<[string, BillPayOptions['aroundCall']]>([
    ['does nothing', () => {}],
    ['calls next twice', (_, next) => Promise.all([next(), next()])],
    [
      'calls next late',
      async (_, next) => {
        await null;
        return next();
      },
    ],
    ['never settles', () => new Promise(() => {})],
    ['throws', thrown],
    [
      'throws after next',
      (_, next) => {
        void next();
        thrown();
      },
    ],
  ])('that %s can neither change, repeat nor swallow a call', async (what, aroundCall) => {
    const { messages, logger } = keptLines();
    const options = { aroundCall, maxRetries: 0, logger, logLevel: 'error' } as const;
    const { billpay, sent, records } = watched([accepted(), reset], options);
    expect(await resolved(billpay.airtime.purchase(order))).toMatchObject({ reference: 'TXN-1' });
    expect(await rejected(billpay.airtime.purchase(order))).toMatchObject({ name: 'ConnectionError' });
    expect(sent).toHaveLength(2);
    expect(records.map(({ outcome }) => outcome)).toEqual(['success', 'unknown']);
    if (what === 'throws') expect(messages()[0]).toBe(`billpay aroundCall threw (TypeError); ${unaffected}`);
  });

  it('cannot change the call, its record or what its error says about the money', async () => {
    const change = (target: object, ...names: string[]) => names.map((name) => Reflect.set(target, name, 0));
    const changes: boolean[] = [];
    const { billpay, sent, records } = watched([accepted(), reset], {
      maxRetries: 0,
      aroundCall: async (call, next) => {
        changes.push(...change(call, 'operation', 'idempotencyKey', 'extra'));
        const record = await next();
        changes.push(...change(record, 'outcome', 'attempts', 'error'));
        if (record.error)
          changes.push(
            ...change(record.error, 'mayHaveCharged', 'idempotencyKey', 'attempts'),
            Reflect.defineProperty(record.error, 'mayHaveCharged', { value: false }),
          );
      },
    });
    await resolved(billpay.airtime.purchase(order));
    const error = await rejected(billpay.airtime.purchase(order));
    expect(error).toMatchObject({ mayHaveCharged: true, idempotencyKey: 'order-1', attempts: 1 });
    expect(changes).toEqual(Array(16).fill(false));
    expect(sent.map(({ bytes }) => bytes)).toEqual([sent[0]?.bytes, sent[0]?.bytes]);
    expect(records).toMatchObject([
      { operation: 'airtime.purchase', outcome: 'success' },
      { operation: 'airtime.purchase', outcome: 'unknown', error },
    ]);
  });

  it('sees calls that are refused before anything is sent, also without onCall', async () => {
    const ends: CallRecord[] = [];
    const { lines, logger } = keptLines();
    const aroundCall: BillPayOptions['aroundCall'] = async (_, next) => ends.push(await next());
    const { billpay } = watched([], { aroundCall, onCall: undefined, logger, logLevel: 'error' });
    const error = await rejected(billpay.airtime.purchase({ ...order, amount: -1 }));
    expect(ends).toMatchObject([{ outcome: 'failure', attempts: 0, error }]);
    expect(lines).toEqual([]);
  });
});

describe('headers as a function', () => {
  it('are asked for before each attempt', async () => {
    const infos: unknown[] = [];
    const { billpay, sent } = watched([reset, accepted(), catalogue], {
      headers: (info) => {
        infos.push(info);
        return { 'X-Attempt': `${info.attempt}` };
      },
    });
    await resolved(billpay.airtime.purchase(order));
    expect(sent.map(({ headers }) => headers.get('x-attempt'))).toEqual(['1', '2']);
    const info = { operation: 'airtime.purchase', idempotencyKey: 'order-1' };
    expect(infos).toStrictEqual([
      { ...info, attempt: 1 },
      { ...info, attempt: 2 },
    ]);
    await resolved(billpay.data.products({ biller: 'MTN' }));
    expect(infos[2]).toStrictEqual({ operation: 'data.products', attempt: 1 });
    expect(sent[1]?.bytes).toEqual(sent[0]?.bytes);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk_test_4f9c1d7e');
  });

  it('of a call win over those of the client, whichever of them is a function', async () => {
    const fixed = { 'x-till': 'client', 'x-shop': 'client' };
    for (const [ofClient, ofCall] of [
      [Object.assign(() => fixed, { 'x-own': 'a property of the function' }), { 'X-Till': 'call' }],
      [fixed, () => ({ 'X-Till': 'call' })],
      [() => fixed, () => ({ 'X-Till': 'call' })],
    ] as const) {
      const { billpay, sent } = watched([accepted()], { headers: ofClient });
      await resolved(billpay.airtime.purchase(order, { headers: ofCall }));
      expect(sent[0]?.headers.get('x-till')).toBe('call');
      expect(sent[0]?.headers.get('x-shop')).toBe('client');
      expect(sent[0]?.headers.get('x-own')).toBeNull();
    }
  });

  it.each<[string, () => unknown, string]>([
    ['throw', thrown, 'is a function that threw (TypeError)'],
    ['are text', () => 'x: y', 'must be an object of strings'],
    ['take the key away', () => ({ authorization: 'x' }), 'must not contain authorization'],
    ['cannot be sent', () => ({ 'x-a': 'line\nbreak' }), 'which is not a valid header'],
  ])('that %s end the call before that attempt, and keep its doubt', async (_, bad, message) => {
    let attempts = 0;
    const headers = () => (attempts++ === 0 ? {} : bad());
    const { billpay, sent } = watched([reset, accepted()], { headers: Object(headers) });
    expect(await rejected(billpay.airtime.purchase(order))).toMatchObject({
      name: 'ConfigurationError',
      option: 'headers',
      message: expect.stringContaining(message),
      operation: 'airtime.purchase',
      attempts: 1,
      idempotencyKey: 'order-1',
      mayHaveCharged: true,
    });
    expect(sent).toHaveLength(1);

    const first = watched([], { headers: Object(bad) });
    const call = first.billpay.airtime.purchase(order);
    expect(await rejected(call)).toMatchObject({ attempts: 0, mayHaveCharged: false });
    const resumed = first.billpay.airtime.purchase(order, { resume: true });
    expect(await rejected(resumed)).toMatchObject({ attempts: 0, mayHaveCharged: true });
    expect(first.sent).toHaveLength(0);
  });
});
