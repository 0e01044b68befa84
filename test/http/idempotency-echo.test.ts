import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { billers } from '../../src/contract/vocabulary.js';
import { differsFromAsked } from '../../src/http/idempotency-echo.js';

const asked = { biller: 'MTN', recipient: '08031234567', amount: 500 };

describe('an echo is what was asked', () => {
  it.each<[string, string, object, object]>([
    ['word for word', 'airtime', asked, asked],
    ['in another case', 'airtime', asked, { ...asked, biller: 'mtn' }],
    ["under a biller's new name", 'airtime', { ...asked, biller: '9MOBILE' }, { ...asked, biller: 'T2' }],
    ["under a biller's old name", 'data', { ...asked, biller: 'T2 Mobile' }, { ...asked, biller: '9mobile' }],
    [
      "under a biller's full name",
      'electricity',
      { ...asked, biller: 'IKEDC' },
      { ...asked, biller: 'Ikeja Electric' },
    ],
    ['with a country code', 'airtime', asked, { ...asked, recipient: '+2348031234567' }],
    ['with a country code without its plus', 'data', asked, { ...asked, recipient: '2348031234567' }],
    ['with an international prefix', 'data', asked, { ...asked, recipient: '0023480 3123 4567' }],
    ['without its zero', 'airtime', asked, { ...asked, recipient: '8031234567' }],
    ['as a number', 'airtime', asked, { ...asked, recipient: 8_031_234_567 }],
    ['with blanks and dashes', 'airtime', asked, { ...asked, recipient: '0803-123 4567' }],
    ['with the amount as text', 'airtime', asked, { ...asked, amount: '500.00' }],
    ['with a sum of tenths', 'airtime', { ...asked, amount: 0.1 + 0.2 }, { ...asked, amount: 0.3 }],
    ['with less than a kobo between', 'airtime', asked, { ...asked, amount: 500.001 }],
    ['without a biller', 'airtime', asked, { recipient: asked.recipient, amount: 500 }],
    ['without a recipient', 'airtime', asked, { biller: 'MTN', amount: 500 }],
    ['without an amount', 'airtime', asked, { biller: 'MTN', recipient: asked.recipient }],
    ['without anything', 'airtime', asked, {}],
    ['with empty fields', 'airtime', asked, { biller: '', recipient: ' ', amount: '' }],
    ['with nulls', 'airtime', asked, { biller: null, recipient: null, amount: null }],
    ['with an amount that is no number', 'airtime', asked, { ...asked, amount: '1,000.00' }],
    [
      'at the listed price, which was not asked for',
      'data',
      { biller: 'MTN', recipient: asked.recipient },
      { ...asked, amount: 750 },
    ],
    [
      'at the listed price, which was',
      'tv',
      { biller: 'DSTV', recipient: '02110144711', amount: 4400 },
      { biller: 'DStv', recipient: '02110144711', amount: 4400 },
    ],
    [
      'for a meter with blanks',
      'electricity',
      { ...asked, recipient: '0124000952992' },
      { ...asked, recipient: '0124 0009 52992' },
    ],
    [
      'for a meter whose leading zero was lost in a number',
      'electricity',
      { ...asked, recipient: '0124000952992' },
      { ...asked, recipient: 124_000_952_992 },
    ],
    [
      'for a profile that lost several leading zeros',
      'edu',
      { biller: 'JAMB', recipient: '0001234567' },
      { biller: 'JAMB', recipient: 1_234_567 },
    ],
    [
      'for a profile in another case',
      'edu',
      { biller: 'JAMB', recipient: 'ab-12' },
      { biller: 'jamb', recipient: 'AB12' },
    ],
    [
      'for WAEC, where the recipient is a phone',
      'edu',
      { biller: 'waec', recipient: '08031234567' },
      { biller: 'WAEC', recipient: '+2348031234567', amount: 3500 },
    ],
  ])('%s', (_, product, wanted, echoed) => {
    expect(differsFromAsked(product, wanted, echoed)).toEqual([]);
  });
});

it('holds every two documented billers of a product apart', () => {
  for (const [product, names] of Object.entries(billers)) {
    for (const one of names) {
      for (const other of names) {
        const fields = differsFromAsked(product, { biller: one.toLowerCase() }, { biller: other });
        expect(fields).toEqual(one === other ? [] : ['biller']);
      }
    }
  }
});

describe('an echo is another purchase', () => {
  it.each<[string, string, object, object, string[]]>([
    ['by its biller', 'airtime', asked, { ...asked, biller: 'GLO' }, ['biller']],
    [
      'by its biller in any case',
      'tv',
      { ...asked, biller: 'DStv' },
      { ...asked, biller: 'gotv' },
      ['biller'],
    ],
    ['by its phone', 'airtime', asked, { ...asked, recipient: '08031234568' }, ['recipient']],
    ['by its amount', 'airtime', asked, { ...asked, amount: 600 }, ['amount']],
    ['by one kobo', 'airtime', asked, { ...asked, amount: 500.01 }, ['amount']],
    ['by an amount of nothing', 'airtime', asked, { ...asked, amount: 0 }, ['amount']],
    [
      'by everything',
      'airtime',
      asked,
      { biller: 'GLO', recipient: '08051234567', amount: 1 },
      ['biller', 'recipient', 'amount'],
    ],
    [
      'by a meter that differs before its last ten digits',
      'electricity',
      { ...asked, recipient: '11240009529' },
      { ...asked, recipient: '21240009529' },
      ['recipient'],
    ],
    [
      'by a smartcard, which is no phone',
      'tv',
      { ...asked, recipient: '02110144711' },
      { ...asked, recipient: '2342110144711' },
      ['recipient'],
    ],
    [
      'by a profile, which is no phone',
      'edu',
      { biller: 'JAMB', recipient: '10123456789' },
      { biller: 'JAMB', recipient: '20123456789' },
      ['recipient'],
    ],
  ])('%s', (_, product, wanted, echoed, fields) => {
    expect(differsFromAsked(product, wanted, echoed)).toEqual(fields);
  });
});

it('takes any form of one phone, and no form of another', () => {
  const digits = fc.stringMatching(/^[789][01]\d{8}$/);
  const form = fc.constantFrom<(ten: string) => string>(
    (ten) => ten,
    (ten) => `0${ten}`,
    (ten) => `+234${ten}`,
    (ten) => `234 ${ten.slice(0, 3)} ${ten.slice(3)}`,
    (ten) => `(0${ten.slice(0, 3)}) ${ten.slice(3, 6)}-${ten.slice(6)}`,
  );
  fc.assert(
    fc.property(digits, digits, form, form, (one, other, asForm, echoForm) => {
      const echo = (ten: string) =>
        differsFromAsked('airtime', { recipient: asForm(one) }, { recipient: echoForm(ten) });
      expect(echo(one)).toEqual([]);
      expect(echo(other)).toEqual(one === other ? [] : ['recipient']);
    }),
  );
});
