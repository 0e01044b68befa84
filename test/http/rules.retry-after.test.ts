import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '../../src/http/rules.js';

const now = Date.UTC(2026, 0, 31, 9, 30, 0);
const headerOnly = (value: string) =>
  retryAfterSeconds(new Headers({ 'retry-after': value }), undefined, now);
const bodyOnly = (value: unknown) => retryAfterSeconds(new Headers(), { retry_after_seconds: value }, now);

describe('Retry-After', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  it.each<[string, number]>([
    ['30', 30],
    ['0', 0],
    ['1.5', 1.5],
    ['  7 ', 7],
    ['007', 7],
    ['100000', 100_000],
    ['Sat, 31 Jan 2026 09:30:45 GMT', 45],
    ['Saturday, 31-Jan-26 09:30:45 GMT', 45],
    ['Sat Jan 31 09:30:45 2026', 45],
    ['Sun Feb  1 09:30:00 2026', 86_400],
    ['Sat, 31 Jan 2026 09:30:45', 45],
    ['Sat, 31 Jan 2026 10:30:45 +0100', 45],
    ['Sat, 31 Jan 2026 09:29:00 GMT', 0],
    ['Sat, 31 Jan 2026 09:30:00 GMT', 0],
  ])('%j is %d s, in any time zone', (value, seconds) => {
    for (const tz of ['UTC', 'Africa/Lagos', 'America/New_York']) {
      process.env['TZ'] = tz;
      expect(headerOnly(value)).toBe(seconds);
    }
  });

  it('is not read in any other form', () => {
    const numbers = ['-5', '+5', '1e3', '0x10', '5s', '5, 10', '.5', '5.', 'NaN', 'Infinity', ''];
    const dates = ['soon', 'Monday', '(x) Sat, 31 Jan 2026 09:30:45 GMT', 'Sat, 99 Foo 2026 09:30:45 GMT'];
    for (const value of [...numbers, ...dates, '2026-01-31T09:30:45Z']) {
      expect([value, headerOnly(value)]).toEqual([value, undefined]);
    }
  });
});

describe('retry_after_seconds', () => {
  it('is a number of seconds, or one as text', () => {
    expect([12, 0, 0.5, '12', '1.5'].map(bodyOnly)).toEqual([12, 0, 0.5, 12, 1.5]);
  });

  it('is not read in any other form', () => {
    const values = [-1, '-1', 'soon', '', null, true, [5], {}, Number.NaN, Number.POSITIVE_INFINITY];
    for (const value of values) expect(bodyOnly(value)).toBeUndefined();
    for (const json of [undefined, null, 'text', 12, []]) {
      expect(retryAfterSeconds(new Headers(), json, now)).toBeUndefined();
    }
  });

  it('is used only where the header cannot be read', () => {
    const json = { retry_after_seconds: 9 };
    const read = (value: string) => retryAfterSeconds(new Headers({ 'retry-after': value }), json, now);
    expect(['soon', '0', '3'].map(read)).toEqual([9, 0, 3]);
  });
});

it('any header and body result in seconds of at least 0, or in nothing', () => {
  const header = fc.oneof(
    fc.stringMatching(/^[\x20-\x7e]*$/),
    fc.integer().map(String),
    fc.date({ noInvalidDate: true }).map(String),
  );
  fc.assert(
    fc.property(header, fc.anything(), (value, json) => {
      const seconds = retryAfterSeconds(new Headers({ 'retry-after': value }), json, now);
      expect(seconds === undefined || seconds >= 0).toBe(true);
    }),
  );
});
