import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../src/utils/exact-json.js';

describe('JSON that is parsed exactly', () => {
  it.each([
    ['{"token":12345678901234567895}', { token: '12345678901234567895' }],
    ['[9007199254740993,-9007199254740993]', ['9007199254740993', '-9007199254740993']],
    ['{"a":[{"pin":12345678901234567895}]}', { a: [{ pin: '12345678901234567895' }] }],
    [
      '{"12345678901234567895":"say \\"12345678901234567895\\""}',
      { '12345678901234567895': 'say "12345678901234567895"' },
    ],
    ['{"amount":0.1234567890123456789}', { amount: Number('0.1234567890123456789') }],
    ['12345678901234567895E3', Number('12345678901234567895e3')],
  ])('%s', (text, expected) => {
    expect(parseExactly(text)).toEqual(expected);
  });

  it('is what JSON.parse gives wherever no number is too long', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (!/\d{16}/.test(text)) expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps every digit of whole numbers, and changes no text', () => {
    const digits = fc.bigInt({ min: 10n ** 16n, max: 10n ** 40n }).map(String);
    fc.assert(
      fc.property(digits, fc.string(), (number, note) => {
        const text = `{"note":${JSON.stringify(note)},"token":${number},"again":${JSON.stringify(`"${number}`)}}`;
        expect(parseExactly(text)).toEqual({ note, token: number, again: `"${number}` });
      }),
    );
  });

  it.each(['{"a":', '{"token":12345678901234567895', `"${'\\"'.repeat(200_000)}1234567890123456`])(
    'is refused where it is no JSON, at once: %.40s',
    (text) => {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    },
  );
});

it('reads a text of nearly 10 MB, whatever it holds', () => {
  const length = 9_500_000;
  for (const long of ['x'.repeat(length), '\\"'.repeat(length / 2), '1'.repeat(20) + 'x'.repeat(length)]) {
    const text = `{"message":"${long}1234567890123456","token":12345678901234567895}`;
    expect(parseExactly(text)).toMatchObject({ token: '12345678901234567895' });
  }
});
