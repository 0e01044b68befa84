import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizePhone, ValidationError } from '../../src/index.js';

const refusalOf = (phone: unknown): ValidationError => {
  try {
    normalizePhone(phone as string);
  } catch (error) {
    if (error instanceof ValidationError) return error;
  }
  throw new Error(`${String(phone)} was not refused`);
};

describe('normalizePhone', () => {
  const shape = 'must be 11 digits that begin with 0, or +234 and 10 digits, such as 08031234567';
  const characters =
    'must consist of digits; only spaces, hyphens, dots, slashes and parentheses may stand between them';

  it.each<[unknown, string]>([
    ['0803123456', shape],
    ['+23408031234', shape],
    ['00000000000', 'has a country code other than +234'],
    ['5', shape],
    ['+1 803 123 4567', 'has a country code other than +234'],
    ['0044 20 7946 0958', 'has a country code other than +234'],
    ['', 'must not be empty: give a phone number, such as 08031234567'],
    [' - ', 'must not be empty: give a phone number, such as 08031234567'],
    ['0803 123 456x', characters],
    ['0803+1234567', characters],
    ['٠٨٠٣١٢٣٤٥٦٧', characters],
    ['08031234567, 08031234568', characters],
    [8031234567, 'must be a string, not a number: a number loses its leading zero'],
    [8031234567n, 'must be a string, not a number: a number loses its leading zero'],
    [undefined, 'must be a string, such as 08031234567'],
    [null, 'must be a string, such as 08031234567'],
    [{}, 'must be a string, such as 08031234567'],
  ])('refuses %o', (phone, problem) => {
    const error = refusalOf(phone);
    expect(error.errors).toEqual({ phone: problem });
    expect(error).toMatchObject({
      name: 'ValidationError',
      message: `The phone number ${problem}.`,
      attempts: 0,
      mayHaveCharged: false,
    });
  });

  it('does not repeat the number in its message', () => {
    expect(JSON.stringify(refusalOf('0905 777 66'))).not.toMatch(/905|777/);
  });

  const national = fc.stringMatching(/^[1-9][0-9]{9}$/).filter((digits) => !digits.startsWith('234'));
  const prefix = fc.constantFrom('0', '', '+234', '234', '00234', '+2340', '234 (0)');
  const separator = fc.constantFrom('', ' ', '-', '.', '/', '\u00a0', ' - ');

  it('gives the same form for every way of writing a number, and leaves that form alone', () => {
    fc.assert(
      fc.property(
        national,
        prefix,
        fc.array(separator, { minLength: 10, maxLength: 10 }),
        (digits, start, gaps) => {
          const written = start + [...digits].map((digit, at) => `${gaps[at]}${digit}`).join('');
          expect(normalizePhone(written)).toBe(`0${digits}`);
          expect(normalizePhone(`0${digits}`)).toBe(`0${digits}`);
        },
      ),
    );
  });

  it('changes no digit of any text: it keeps the last ten, or refuses', () => {
    const anything = fc.oneof(fc.string(), fc.stringMatching(/^[+0-9 ().-]{0,20}$/));
    fc.assert(
      fc.property(anything, (text) => {
        let normalized: string;
        try {
          normalized = normalizePhone(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationError);
          return;
        }
        expect(normalized).toMatch(/^0[1-9]\d{9}$/);
        expect(text.replace(/\D/g, '').slice(-10)).toBe(normalized.slice(1));
      }),
      { numRuns: 1000 },
    );
  });
});
