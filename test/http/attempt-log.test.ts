import { describe, expect, it, vi } from 'vitest';
import { attemptLine, leveledLogger, mask } from '../../src/http/attempt-log.js';
import type { AttemptRecord, LogLevel } from '../../src/options.js';

const names = ['debug', 'info', 'warn', 'error'] as const;

describe('mask', () => {
  it.each([
    ['08031234567', '0803****567'],
    ['+2348031234567', '+234*******567'],
    ['12345678', '1234*678'],
    ['1234567', '*******'],
    ['1', '*'],
    ['', ''],
  ])('hides the middle of %j', (recipient, masked) => {
    expect(mask(recipient)).toBe(masked);
  });
});

describe('quietLogger', () => {
  it.each<[LogLevel, readonly string[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['off', []],
  ])('at %s passes on %j', (level, expected) => {
    const heard: string[] = [];
    const hear = (name: string) => (message: string, fields: object) => {
      heard.push(name);
      expect([message, fields]).toEqual(['hello', { a: 1 }]);
    };
    const logger = leveledLogger(
      { debug: hear('debug'), info: hear('info'), warn: hear('warn'), error: hear('error') },
      level,
    );
    for (const name of names) logger[name]('hello', { a: 1 });
    expect(heard).toEqual(expected);
  });

  it('keeps what the logger throws to itself, and its `this`', () => {
    const logger = {
      debug: vi.fn(function (this: unknown) {
        expect(this).toBe(logger);
        throw new Error('disk full');
      }),
      info: vi.fn(),
      warn: vi.fn(),
      error: vi.fn(),
    };
    expect(() => leveledLogger(logger, 'debug').debug('hello', {})).not.toThrow();
    expect(logger.debug).toHaveBeenCalledOnce();
  });
});

describe('attemptLine', () => {
  const record: AttemptRecord = {
    operation: 'airtime.purchase',
    attempt: 1,
    method: 'POST',
    path: '/airtime/purchase',
    status: 202,
    code: 'PROCESSING',
    durationMs: 120.6,
    willRetry: false,
  };

  it('tells a success', () => {
    expect(attemptLine(record)).toBe(
      'billpay airtime.purchase attempt 1: POST /airtime/purchase -> 202 PROCESSING in 121 ms',
    );
  });

  it('tells a failure and what comes next', () => {
    const failed = { ...record, status: 503, code: 'QUEUE_UNAVAILABLE', error: 'QueueUnavailableError' };
    expect(attemptLine({ ...failed, willRetry: true, retryInMs: 375 })).toBe(
      'billpay airtime.purchase attempt 1: POST /airtime/purchase -> 503 QUEUE_UNAVAILABLE QueueUnavailableError in 121 ms, again in 375 ms',
    );
  });

  it('tells that no answer came', () => {
    const { status: _, code: __, ...rest } = record;
    expect(attemptLine({ ...rest, attempt: 2, error: 'TimeoutError' })).toBe(
      'billpay airtime.purchase attempt 2: POST /airtime/purchase -> TimeoutError in 121 ms',
    );
  });
});
