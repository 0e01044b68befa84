import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toKobo, toNaira } from '../../src/contract/money.js';

describe('money', () => {
  it.each([
    [0, 0],
    [0.01, 1],
    [0.1 + 0.2, 30],
    [19.99, 1999],
    [1.005, 100],
    [-3.5, -350],
    [44_500, 4_450_000],
  ])('%d NGN is %i kobo', (naira, kobo) => {
    expect(toKobo(naira)).toBe(kobo);
  });

  it('comes back unchanged from every whole number of kobo', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e13, max: 1e13 }), (kobo) => {
        expect(toKobo(toNaira(kobo))).toBe(kobo === 0 ? 0 : kobo);
      }),
    );
  });

  it('adds amounts without drift', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1e9 }), { maxLength: 200 }), (amounts) => {
        const sum = amounts.map(toNaira).reduce((total, naira) => total + toKobo(naira), 0);
        expect(sum).toBe(amounts.reduce((total, kobo) => total + kobo, 0));
      }),
    );
  });
});
