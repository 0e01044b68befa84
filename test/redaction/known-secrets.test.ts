import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretReplacer, secretsInToken } from '../../src/redaction/known-secrets.js';

const key = 'sk_live_S3cr3tK3yV4lue';
const odd = 'sk_live_ab"c&d\\e\'f<g>h;i,j/k+l=';
const replace = createSecretReplacer([key, odd, '48210937', 'whsec_Jd82hSk1Pz04nQw7Ux56'], '[redacted]');
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a known secret', () => {
  it.each<[string, string]>([
    ['as it is', key],
    ['in upper case', key.toUpperCase()],
    ['in lower case', key.toLowerCase()],
    ['with odd characters', odd],
    ['URL-encoded', encodeURIComponent(odd)],
    ['URL-encoded in lower case', encodeURIComponent(odd).toLowerCase()],
    ['URL-encoded as a whole', [...key].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')],
    ['in JSON', JSON.stringify(odd).slice(1, -1)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(odd)).slice(3, -3)],
    ['in JSON with escaped slashes', JSON.stringify(odd).slice(1, -1).replaceAll('/', '\\/')],
    ['in base64', base64(key)],
    ['in base64 of the URL alphabet', Buffer.from(odd).toString('base64url')],
    ['in base64 without case', base64(key).toUpperCase()],
    ['in base64 in JSON', base64(odd).replaceAll('/', '\\/')],
    ['without its prefix', 'S3cr3tK3yV4lue'],
    ['a webhook secret without its prefix', 'Jd82hSk1Pz04nQw7Ux56'],
    ['digits', '48210937'],
    ['digits in groups', '4821-0937'],
    ['digits in groups of a no-break space', '4821\u00a00937'],
  ])('is replaced %s', (_, text) => {
    expect(replace(text)).toBe('[redacted]');
    expect(replace(`before(${text})after`)).toBe('before([redacted])after');
    expect(replace(`${text} ${text}`)).toBe('[redacted] [redacted]');
  });

  it.each([0, 1, 2, 3, 4, 5])('is replaced in base64 with %i bytes before and behind it', (count) => {
    const around = 'xyz:ab'.slice(0, count);
    for (const text of [`${around}${key}`, `${key}${around}`, `${around}${key}${around}`]) {
      expect(replace(`(${base64(text)}).`)).toMatch(/^\([\w+/]{0,7}\[redacted\]\)\.$/);
    }
  });

  it('is replaced right behind a word', () => {
    expect(replace(`key${key}x`)).toBe('key[redacted]x');
  });

  it.each([
    '',
    'sk_live_S3cr3tK3yV4lu',
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
    const both = createSecretReplacer(['abcd1234', 'abcd1234efgh'], '*');
    expect(both('abcd1234efgh abcd1234')).toBe('* *');
  });

  it('of digits in groups is found in any grouping', () => {
    const grouped = createSecretReplacer(['0360 0873 2712 6771'], '*');
    expect(grouped('0360087327126771, 0360-0873-2712-6771 or 036 008 732 712 677 1')).toBe('*, * or *');
  });

  it('may hold any character', () => {
    for (const secret of ['a.c*(d)[e]', 'pässwört', 'ключ-1234', '💸💸💸💸', '$&$1$`']) {
      const only = createSecretReplacer([secret], '*');
      expect(only(`<${secret}>`)).toBe('<*>');
      expect(only(`<${encodeURIComponent(secret)}>`)).toBe('<*>');
      expect(only('abcd*(d)[e]')).toBe('abcd*(d)[e]');
    }
  });
});

describe('short values', () => {
  it('are no secrets: every text has them', () => {
    expect(createSecretReplacer(['', 'a', '123'], '*')('a 123')).toBe('a 123');
    expect(createSecretReplacer(['1234'], '*')('a 1234')).toBe('a *');
  });

  it('are not looked for in base64, where they would be found by chance', () => {
    expect(createSecretReplacer(['abcdefg'], '*')(base64('abcdefg ab'))).toBe(base64('abcdefg ab'));
    expect(createSecretReplacer(['abcdefgh'], '*')(base64('abcdefgh a'))).toBe('*');
  });
});

describe('any secret in any text', () => {
  const characters = fc.constantFrom(...'abcXYZ019_-;,"\'&\\<>+/= .éж');
  const secret = fc
    .array(characters, { minLength: 8, maxLength: 40 })
    .map((all) => all.join(''))
    .filter((text) => text.trim().length >= 8 && /[a-z]/i.test(text));
  const forms: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => (text.toUpperCase().normalize() === text.toUpperCase() ? text.toUpperCase() : text),
    encodeURIComponent,
    (text) => JSON.stringify(text),
    (text) => JSON.stringify({ inner: JSON.stringify({ text }) }),
    base64,
    (text) => Buffer.from(text).toString('base64url'),
    (text) => base64(`user:${text}`),
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
          const clean = createSecretReplacer([hidden], '*')(text);
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
    ['PIN 123456', ['PIN 123456', '123456']],
    ['', ['']],
    [null, []],
    [undefined, []],
    [48210937, ['48210937']],
    [true, []],
    [
      ['QZ7H-11KD', 59310442],
      ['QZ7H-11KD', 'QZ7H-11KD', '59310442'],
    ],
    [{ serial: 'WRN182135587', pins: [{ value: '4821' }] }, ['WRN182135587', 'WRN182135587', '4821', '4821']],
  ])('of %j', (token, secrets) => {
    expect(secretsInToken(token)).toEqual(secrets);
  });

  it('of a number too large for a double', () => {
    expect(secretsInToken(36008732712677165219n)).toEqual(['36008732712677165219']);
  });
});
