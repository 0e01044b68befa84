import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '../../src/http/retry.js';

const now = Date.UTC(2026, 0, 31, 9, 30, 0);
const headerOnly = (value: string) =>
  retryAfterSeconds(new Headers({ 'retry-after': value }), undefined, now);

describe('Retry-After', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  it.each([
    ['seconds', '30', 30],
    ['zero', '0', 0],
    ['decimals', '1.5', 1.5],
    ['blanks around', '  7 ', 7],
    ['leading zeros', '007', 7],
    ['more than a day', '100000', 100_000],
  ])('takes %s', (_, value, seconds) => {
    expect(headerOnly(value)).toBe(seconds);
  });

  describe.each(['UTC', 'Africa/Lagos', 'America/New_York'])('in %s', (tz) => {
    it.each([
      ['the form of today', 'Sat, 31 Jan 2026 09:30:45 GMT', 45],
      ['the RFC 850 form', 'Saturday, 31-Jan-26 09:30:45 GMT', 45],
      ['the asctime form, which is GMT without saying so', 'Sat Jan 31 09:30:45 2026', 45],
      ['an asctime day of one digit', 'Sun Feb  1 09:30:00 2026', 86_400],
      ['today’s form with its zone forgotten', 'Sat, 31 Jan 2026 09:30:45', 45],
      ['a date that is past', 'Sat, 31 Jan 2026 09:29:00 GMT', 0],
      ['a date that is now', 'Sat, 31 Jan 2026 09:30:00 GMT', 0],
    ])('takes %s', (_, value, seconds) => {
      process.env['TZ'] = tz;
      expect(headerOnly(value)).toBe(seconds);
    });
  });

  it.each([
    '-5',
    '+5',
    '1e3',
    '0x10',
    '5s',
    '5, 10',
    '.5',
    '5.',
    'soon',
    'Monday',
    '(not a day) Sat, 31 Jan 2026 09:30:45 GMT',
    'Sat, 99 Foo 2026 09:30:45 GMT',
    '2026-01-31T09:30:45Z',
    'NaN',
    'Infinity',
    '',
  ])('cannot read %j, and says so', (value) => {
    expect(headerOnly(value)).toBeUndefined();
  });
});

describe('retry_after_seconds', () => {
  const bodyOnly = (value: unknown) => retryAfterSeconds(new Headers(), { retry_after_seconds: value }, now);

  it.each([
    [12, 12],
    [0, 0],
    [0.5, 0.5],
    ['12', 12],
    ['1.5', 1.5],
  ])('takes %j', (value, seconds) => {
    expect(bodyOnly(value)).toBe(seconds);
  });

  it.each([-1, '-1', 'soon', '', null, true, [5], {}, Number.NaN, Number.POSITIVE_INFINITY])(
    'cannot read %j',
    (value) => {
      expect(bodyOnly(value)).toBeUndefined();
    },
  );

  it.each([undefined, null, 'text', 12, []])('is not in the body %j', (json) => {
    expect(retryAfterSeconds(new Headers(), json, now)).toBeUndefined();
  });

  it('stands in where the header cannot be read, and only there', () => {
    const json = { retry_after_seconds: 9 };
    expect(retryAfterSeconds(new Headers({ 'retry-after': 'soon' }), json, now)).toBe(9);
    expect(retryAfterSeconds(new Headers({ 'retry-after': '0' }), json, now)).toBe(0);
    expect(retryAfterSeconds(new Headers({ 'retry-after': '3' }), json, now)).toBe(3);
  });
});

it('gives seconds of at least 0 or nothing, whatever stands there', () => {
  const header = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.date({ noInvalidDate: true }).map(String),
  );
  fc.assert(
    fc.property(header, fc.anything(), (value, json) => {
      let headers: Headers;
      try {
        headers = new Headers({ 'retry-after': value });
      } catch {
        return;
      }
      const seconds = retryAfterSeconds(headers, json, now);
      expect(seconds === undefined || seconds >= 0).toBe(true);
    }),
  );
});
