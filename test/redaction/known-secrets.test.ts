import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, secretsInToken } from '../../src/redaction.js';

const hiding = (secrets: readonly string[]) => createRedactor(secrets).known;

const key = 'sk_live_S3cr3tK3yV4lue';
const odd = 'sk_live_ab"c&d\\e\'f<g>h;i,j/k+l=';
const replace = hiding([key, odd, '48210937', 'whsec_Jd82hSk1Pz04nQw7Ux56']);
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a known secret', () => {
  it.each<[string, string]>([
    ['with odd characters', odd],
    ['URL-encoded in lower case', encodeURIComponent(odd).toLowerCase()],
    ['in base64 of the URL alphabet', Buffer.from(key).toString('base64url')],
    ['digits', '48210937'],
    ['digits in groups', '4821-0937'],
    ['digits in groups of a no-break space', '4821\u00a00937'],
  ])('is replaced %s', (_, text) => {
    expect(replace(text)).toBe('[redacted]');
    expect(replace(`before(${text})after`)).toBe('before([redacted])after');
    expect(replace(`${text} ${text}`)).toBe('[redacted] [redacted]');
  });

  it('takes base64 with it that has bytes before or behind it', () => {
    for (const around of ['', 'x', 'xy', 'xyz', 'xyz:', 'xyz:ab']) {
      for (const text of [`${around}${key}`, `${key}${around}`, `${around}${key}${around}`]) {
        expect(replace(`(${base64(text)}).`)).toMatch(/^\(\[redacted\]=*\)\.$/);
      }
    }
  });

  it.each([
    '',
    '4821 093',
    '4821:0937',
    '48 21--09 37',
    base64('another text of some length'),
    'a/long/path/of/a/url/without/any/secret',
    '&lt; &amp; %22 \\u0073',
  ])('leaves %j', (text) => {
    expect(replace(text)).toBe(text);
  });

  it('is found as a whole where another one is its beginning', () => {
    const both = hiding(['abcd1234', 'abcd1234efgh']);
    expect(both('abcd1234efgh abcd1234')).toBe('[redacted] [redacted]');
  });

  it('of digits in groups is found in any grouping', () => {
    const grouped = hiding(['0360 0873 2712 6771']);
    expect(grouped('0360087327126771, 0360-0873-2712-6771 or 036 008 732 712 677 1')).toBe(
      '[redacted], [redacted] or [redacted]',
    );
  });

  it('may hold any character', () => {
    for (const secret of ['a.c*(d)[e]', 'pässwört', 'ключ-1234', '💸💸💸💸', '$&$1$`']) {
      const only = hiding([secret]);
      expect(only(`<${secret}>`)).toBe('<[redacted]>');
      expect(only(`<${encodeURIComponent(secret)}>`)).toBe('<[redacted]>');
      expect(only('abcd*(d)[e]')).toBe('abcd*(d)[e]');
    }
  });
});

it('values of up to three characters are no secrets: every text has them', () => {
  expect(hiding(['', 'a', '123'])('a 123')).toBe('a 123');
  expect(hiding(['1234'])('a 1234')).toBe('a [redacted]');
});

describe('any secret in any text', () => {
  const characters = fc.constantFrom(...'abcXYZ019_-;,"\'&\\<>+/= .éж');
  const secret = fc
    .array(characters, { minLength: 12, maxLength: 40 })
    .map((all) => all.join(''))
    .filter((text) => text.trim().length >= 12 && /[a-z]/i.test(text));
  const forms: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => (text.toUpperCase().normalize() === text.toUpperCase() ? text.toUpperCase() : text),
    encodeURIComponent,
    (text) => JSON.stringify(text),
    (text) => (isAscii(text) ? base64(text) : text),
    (text) => (isAscii(text) ? Buffer.from(text).toString('base64url') : text),
    (text) => (isAscii(text) ? base64(`user:${text}`) : text),
  ];

  it('is replaced in every form', () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...forms),
        fc.string(),
        fc.string(),
        (hidden, form, before, after) => {
          const text = `${before} ${form(hidden)} ${after}`;
          const clean = hiding([hidden])(text);
          expect(clean).not.toContain(form(hidden).slice(1, -1));
          expect(clean.includes(hidden)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('secretsInToken', () => {
  it.each<[unknown, string[]]>([
    ['48210937', ['48210937', '48210937']],
    [
      'Serial No:WRN182135587, pin: 373820665258',
      ['Serial No:WRN182135587, pin: 373820665258', 'WRN182135587', '373820665258'],
    ],
    [
      'Token : 2636-1111-2222 Bonus Token : none',
      ['Token : 2636-1111-2222 Bonus Token : none', '2636-1111-2222'],
    ],
    ['PIN 4821', ['PIN 4821', '4821']],
    ['PIN 482', ['PIN 482']],
    ['', ['']],
    [undefined, ['']],
    [48210937, ['48210937', '48210937']],
  ])('of %j', (token, secrets) => {
    expect(secretsInToken(token)).toEqual(secrets);
  });

  it.each([
    [['QZ7H-11KD', 59310442], 'QZ7H-11KD and 59310442'],
    [{ serial: 'WRN182135587', pins: [{ value: '4821' }] }, 'WRN182135587 and 4821'],
  ])('are hidden where %j is quoted', (token, quoted) => {
    expect(hiding(secretsInToken(token))(quoted)).toBe('[redacted] and [redacted]');
  });
});
