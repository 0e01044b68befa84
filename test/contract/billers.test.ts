import { describe, expect, it } from 'vitest';
import { foreignBillerProblem, isUnlistedBiller } from '../../src/contract/billers.js';
import { billers, products } from '../../src/contract/vocabulary.js';

describe('a biller of another product', () => {
  it.each([
    ['airtime', 'dstv', 'DSTV belongs to tv: airtime has MTN, AIRTEL, GLO, 9MOBILE'],
    ['tv', 'Mtn', 'MTN belongs to airtime and data: tv has DSTV, GOTV, STARTIMES'],
    ['electricity', 'WAEC', 'WAEC belongs to edu: electricity has IKEDC, EKEDC, AEDC'],
    ['edu', 'Star Times', 'STARTIMES belongs to tv: edu has WAEC, NECO, NABTEB, JAMB'],
  ] as const)('for %s: %s', (product, biller, problem) => {
    expect(foreignBillerProblem(product, biller)).toBe(problem);
  });

  it('is one that is documented for others and not for this one', () => {
    for (const product of products) {
      for (const [owner, names] of Object.entries(billers)) {
        for (const name of names) {
          const isOwn = billers[product].some((own) => own === name);
          expect([owner, name, foreignBillerProblem(product, name) === undefined]).toEqual([
            owner,
            name,
            isOwn,
          ]);
        }
      }
      for (const name of ['T2', 'EEDC', '', undefined, 5])
        expect(foreignBillerProblem(product, name)).toBeUndefined();
    }
  });

  it('is told from one that nobody lists', () => {
    expect(['T2', 'eedc', 'DSTVV'].map(isUnlistedBiller)).toEqual([true, true, true]);
    expect(['9mobile', 'Star-Times', '', undefined].map(isUnlistedBiller)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
