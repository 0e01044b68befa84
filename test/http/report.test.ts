import { describe, expect, it } from 'vitest';
import { attemptLine, mask } from '../../src/http/report.js';
import type { AttemptRecord } from '../../src/options.js';

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

  it('says that no response was received', () => {
    const { status: _, code: __, ...rest } = record;
    expect(attemptLine({ ...rest, attempt: 2, error: 'TimeoutError' })).toBe(
      'billpay airtime.purchase attempt 2: POST /airtime/purchase -> TimeoutError in 121 ms',
    );
  });
});
