import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AttemptRecord, BillPayOptions } from '../../src/index.js';
import type { LogLevel } from '../../src/options.js';
import { resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  clientWith,
  json,
  keptLines,
  page,
  refusal,
  refused,
  type Step,
  script,
  silent,
} from '../support/script.js';

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const order = { ...airtime, idempotency_key: 'order-1' };

describe('onAttempt', () => {
  const told = async (steps: readonly Step[], options: BillPayOptions = {}) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const records: AttemptRecord[] = [];
    const { fetch } = script(...steps);
    const billpay = clientWith(fetch, { onAttempt: (record) => records.push(record), ...options });
    await resolved(billpay.airtime.purchase(order).catch(() => {}));
    return records;
  };

  it('receives one complete record for each attempt', async () => {
    const slow: Step = async (sent) => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return accepted()(sent);
    };
    const records = await told([refused, refusal(503, 'QUEUE_UNAVAILABLE'), silent, slow]);
    const always = {
      operation: 'airtime.purchase',
      method: 'POST',
      path: '/airtime/purchase',
      idempotencyKey: 'order-1',
    };
    expect(records).toStrictEqual([
      { ...always, attempt: 1, durationMs: 0, willRetry: true, retryInMs: 250, error: 'ConnectionError' },
      {
        ...always,
        attempt: 2,
        status: 503,
        code: 'QUEUE_UNAVAILABLE',
        durationMs: 0,
        willRetry: true,
        retryInMs: 500,
        error: 'QueueUnavailableError',
      },
      {
        ...always,
        attempt: 3,
        durationMs: 30_000,
        willRetry: true,
        retryInMs: 1000,
        error: 'TimeoutError',
      },
      { ...always, attempt: 4, status: 202, code: 'PROCESSING', durationMs: 40, willRetry: false },
    ]);
  });

  it('records a reused key, a path without its query, and no key where there is none', async () => {
    expect(await told([accepted({ amount: 900 })])).toMatchObject([
      { status: 202, error: 'IdempotencyKeyReusedError', willRetry: false },
    ]);
    const records: AttemptRecord[] = [];
    const billpay = clientWith(script(json(200, {})).fetch, { onAttempt: (record) => records.push(record) });
    await resolved(billpay.request({ method: 'DELETE', path: '/hooks/7', query: { force: true } }));
    expect(records).toStrictEqual([
      {
        operation: 'request',
        attempt: 1,
        method: 'DELETE',
        path: '/hooks/7',
        status: 200,
        durationMs: 0,
        willRetry: false,
      },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['an error', new RangeError('sk_test_4f9c1d7e'), 'RangeError'],
    ['nothing', undefined, 'undefined'],
  ])('never breaks a call by throwing %s', async (_, thrown, name) => {
    const { lines: heard, logger } = keptLines();
    const { fetch } = script(refused, accepted());
    const onAttempt = () => {
      throw thrown;
    };
    const billpay = clientWith(fetch, { onAttempt, logger, logLevel: 'error' });
    expect(await resolved(billpay.airtime.purchase(order))).toMatchObject({ reference: 'TXN-1' });
    expect(heard).toEqual([
      ['error', `billpay onAttempt threw (${name}); the call continues`, { operation: 'airtime.purchase' }],
      ['error', `billpay onAttempt threw (${name}); the call continues`, { operation: 'airtime.purchase' }],
    ]);
  });
});

describe('log lines', () => {
  const lines = async (logLevel: LogLevel) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { lines: heard, logger } = keptLines();
    const { fetch } = script(
      refusal(503, 'PROVIDER_UNAVAILABLE'),
      accepted({ amount: '500.00', channel: undefined }),
    );
    const onAttempt = () => {
      throw new Error('no');
    };
    await resolved(clientWith(fetch, { logger, logLevel, onAttempt }).airtime.purchase(order));
    return heard.map(([level, message]) => `${level}: ${message}`);
  };
  const threw = 'error: billpay onAttempt threw (Error); the call continues';
  const failed =
    'info: billpay airtime.purchase attempt 1: POST /airtime/purchase -> 503 PROVIDER_UNAVAILABLE ProviderUnavailableError in 0 ms, again in 250 ms';
  const succeeded =
    'debug: billpay airtime.purchase attempt 2: POST /airtime/purchase -> 202 PROCESSING in 0 ms';
  const deviated =
    'warn: billpay airtime.purchase: the response differs from what is documented in data.amount, data.channel';

  it.each<[LogLevel, readonly string[]]>([
    ['debug', [threw, failed, threw, succeeded, deviated]],
    ['info', [threw, failed, threw, deviated]],
    ['warn', [threw, threw, deviated]],
    ['error', [threw, threw]],
    ['off', []],
  ])('at %s', async (level, expected) => {
    expect(await lines(level)).toEqual(expected);
  });

  it('carry the record as fields, with the recipient masked', async () => {
    const { lines, logger } = keptLines();
    const onAttempt = vi.fn();
    const billpay = clientWith(script(accepted()).fetch, { logger, logLevel: 'debug', onAttempt });
    await resolved(billpay.airtime.purchase(order));
    const [record] = onAttempt.mock.lastCall ?? [];
    expect(lines).toStrictEqual([['debug', expect.anything(), { ...record, recipient: '0803****567' }]]);
    expect(JSON.stringify(lines)).not.toContain('08031234567');
  });

  it('warn of a difference in the responses once, and repeat it at debug', async () => {
    const { lines: heard, logger } = keptLines();
    const { fetch } = script(
      accepted({ currency: undefined }),
      accepted({ currency: undefined }),
      accepted({ channel: undefined }),
    );
    const billpay = clientWith(fetch, { logger, logLevel: 'debug' });
    for (const idempotency_key of ['order-1', 'order-2', 'order-3']) {
      await resolved(billpay.airtime.purchase({ ...order, idempotency_key }));
    }
    const differences = heard.filter(([, message]) => message.includes('differs from what is documented'));
    expect(differences.map(([level]) => level)).toEqual(['warn', 'debug', 'warn']);
  });

  it('go to the console where no logger was given, and only warnings by default', async () => {
    const console_ = {
      info: vi.spyOn(console, 'info').mockReturnValue(),
      warn: vi.spyOn(console, 'warn').mockReturnValue(),
    };
    const { fetch } = script(page(502), accepted({ currency: undefined }));
    await resolved(clientWith(fetch, { logLevel: undefined }).airtime.purchase(order));
    expect(console_.info).not.toHaveBeenCalled();
    expect(console_.warn).toHaveBeenCalledExactlyOnceWith(
      'billpay airtime.purchase: the response differs from what is documented in data.currency',
      { operation: 'airtime.purchase', fields: ['data.currency'] },
    );
  });
});
