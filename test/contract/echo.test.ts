import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareEcho, describeDifference } from '../../src/contract/echo.js';
import { billers } from '../../src/contract/vocabulary.js';

const asked = { biller: 'MTN', recipient: '08031234567', amount: 500 };
const meter = { biller: 'IKEDC', recipient: '45700123456', amount: 1000 };

/** The names of the fields that conflict, and of those that differ within the room. */
function compared(product: string, wanted: object, echoed: object) {
  const { conflicts, tolerated } = compareEcho(product, wanted, echoed);
  const names = (differences: typeof conflicts) => differences.map(({ field }) => field);
  return { conflicts: names(conflicts), tolerated: names(tolerated) };
}

/** The fields in which an echo reads otherwise, although it is about the same sale. */
const written = (wanted: object, echoed: object) =>
  (['biller', 'recipient'] as const).filter((name) => {
    const [one, other] = [wanted, echoed].map((fields) => Reflect.get(fields, name));
    const plain = (value: unknown) =>
      name === 'biller' ? String(value).replace(/\W/g, '').toUpperCase() : String(value).trim();
    const isReadable = (value: unknown) =>
      (typeof value === 'string' && value.trim() !== '') || Number.isSafeInteger(value);
    return isReadable(one) && isReadable(other) && plain(one) !== plain(other);
  });

describe('an echo of what was asked', () => {
  it.each<[string, string, object, object]>([
    ['literally', 'airtime', asked, asked],
    ['in another case', 'airtime', asked, { ...asked, biller: 'mtn' }],
    ["under a biller's new name", 'airtime', { ...asked, biller: '9MOBILE' }, { ...asked, biller: 'T2' }],
    ["under a biller's old name", 'data', { ...asked, biller: 'T2 Mobile' }, { ...asked, biller: '9mobile' }],
    ["under a biller's full name", 'electricity', meter, { ...meter, biller: 'Ikeja Electric' }],
    ['with a country code', 'airtime', asked, { ...asked, recipient: '+2348031234567' }],
    ['with a country code without its plus', 'data', asked, { ...asked, recipient: '2348031234567' }],
    ['with an international prefix', 'data', asked, { ...asked, recipient: '0023480 3123 4567' }],
    ['without the zero', 'airtime', asked, { ...asked, recipient: '8031234567' }],
    ['as a number', 'airtime', asked, { ...asked, recipient: 8_031_234_567 }],
    ['with spaces and dashes', 'airtime', asked, { ...asked, recipient: '0803-123 4567' }],
    ['that was asked with a country code', 'data', { ...asked, recipient: '+2348031234567' }, asked],
    ['with a name after the phone', 'airtime', asked, { ...asked, recipient: '08031234567 (9MOBILE)' }],
    ['masked in the middle', 'airtime', asked, { ...asked, recipient: '080****4567' }],
    ['masked at the start', 'airtime', asked, { ...asked, recipient: '*******4567' }],
    ['masked at the end', 'airtime', asked, { ...asked, recipient: '0803*******' }],
    ['masked twice', 'airtime', asked, { ...asked, recipient: '080*12**67' }],
    ['masked altogether', 'airtime', asked, { ...asked, recipient: '***********' }],
    ['masked with a country code', 'airtime', asked, { ...asked, recipient: '+234 803 •••• 567' }],
    ['masked with letters', 'airtime', asked, { ...asked, recipient: '0803XXX4567' }],
    ['masked with dots', 'airtime', asked, { ...asked, recipient: '0803...4567' }],
    ['masked with dashes', 'airtime', asked, { ...asked, recipient: '0803---4567' }],
    ['masked with underscores', 'airtime', asked, { ...asked, recipient: '0803___4567' }],
    ['masked with hash signs', 'airtime', asked, { ...asked, recipient: '0803###4567' }],
    ['cut down to its last digits', 'airtime', asked, { ...asked, recipient: '4567' }],
    [
      'cut down to last digits that begin with zeros',
      'airtime',
      { ...asked, recipient: '08031230007' },
      { ...asked, recipient: '0007' },
    ],
    ['with a suffix', 'electricity', meter, { ...meter, recipient: '45700123456 (IKEDC PREPAID)' }],
    ['with digits after it', 'electricity', meter, { ...meter, recipient: '45700123456-01' }],
    ['with a prefix', 'electricity', meter, { ...meter, recipient: 'METER 45700123456' }],
    [
      'of four digits with a suffix',
      'electricity',
      { ...meter, recipient: '1234' },
      { ...meter, recipient: '1234-9' },
    ],
    [
      'of a phone for WAEC, asked with a country code',
      'edu',
      { biller: 'WAEC', recipient: '+2348031234567' },
      { biller: 'WAEC', recipient: '08031234567' },
    ],
    [
      'without two zeros',
      'electricity',
      { ...meter, recipient: '00123456' },
      { ...meter, recipient: '123456' },
    ],
    ['with an amount as text', 'electricity', meter, { ...meter, amount: ' 1000.00 ' }],
    ['masked with a prefix in words', 'electricity', meter, { ...meter, recipient: 'METER 457****3456' }],
    ['in groups', 'electricity', { ...meter, recipient: '45-700-123-456' }, meter],
    [
      'without the leading zero that a number loses',
      'electricity',
      { ...meter, recipient: '0124000952992' },
      { ...meter, recipient: 124_000_952_992 },
    ],
    [
      'without several leading zeros',
      'edu',
      { biller: 'JAMB', recipient: '0001234567' },
      { biller: 'JAMB', recipient: 1_234_567 },
    ],
    [
      'beyond the safe integers, where digits are lost',
      'electricity',
      { ...meter, recipient: '45700123456789012345' },
      { ...meter, recipient: 45_700_123_456_789_012_000 },
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
    ['with the amount as text', 'airtime', asked, { ...asked, amount: '500.00' }],
    ['with a sum of tenths', 'airtime', { ...asked, amount: 0.1 + 0.2 }, { ...asked, amount: 0.3 }],
    ['rounded to a kobo', 'airtime', { ...asked, amount: 10.015 }, { ...asked, amount: 10.02 }],
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
  ])('%s is the same', (_, product, wanted, echoed) => {
    expect(compared(product, wanted, echoed)).toEqual({
      conflicts: [],
      tolerated: written(wanted, echoed),
    });
  });
});

describe('a difference that the documents leave room for', () => {
  it.each<[number, number]>([
    [500, 490],
    [500, 450],
    [1500, 1350],
    [7500, 7350],
    [100_000, 99_850],
    [99.5, 99],
    [99.5, 100],
    [10.014, 10.02],
    [1.005, 1.01],
    [1234.56, 1209],
    [20_000.75, 19_850],
    [0.5, 0],
    [500, 500.01],
    [500, 550],
    [999.5, 1100],
    [5000, 5100],
    [5000, 5150],
    [100_000, 100_150],
  ])('of %d echoed as %d is tolerated', (amount, echoed) => {
    expect(compareEcho('airtime', { amount }, { amount: echoed })).toEqual({
      conflicts: [],
      tolerated: [{ field: 'amount', asked: amount, echoed }],
    });
  });

  it('is another network for a phone that is the same in full, because numbers are ported', () => {
    expect(compared('airtime', asked, { ...asked, biller: 'AIRTEL' })).toEqual({
      conflicts: [],
      tolerated: ['biller'],
    });
    expect(compared('airtime', asked, { ...asked, biller: 'AIRTEL', amount: 490 })).toEqual({
      conflicts: [],
      tolerated: ['biller', 'amount'],
    });
  });

  it('names the recipient where it is masked or written in another way, and the biller under another name', () => {
    expect(compared('airtime', asked, { ...asked, recipient: '080****4567' })).toEqual({
      conflicts: [],
      tolerated: ['recipient'],
    });
    expect(
      compared('airtime', { ...asked, biller: '9MOBILE' }, { ...asked, biller: 'T2', amount: 510 }),
    ).toEqual({
      conflicts: [],
      tolerated: ['biller', 'amount'],
    });
  });

  it.each<[string, string, object]>([
    ['for a data bundle, which belongs to one network', 'data', { ...asked, biller: 'AIRTEL' }],
    ['for a masked phone', 'airtime', { ...asked, biller: 'AIRTEL', recipient: '080****4567' }],
    ['for a phone cut short', 'airtime', { ...asked, biller: 'AIRTEL', recipient: '1234567' }],
    ['without the phone', 'airtime', { biller: 'AIRTEL', amount: 500 }],
    ['without the amount', 'airtime', { biller: 'AIRTEL', recipient: '08031234567' }],
  ])('is not another network %s', (_, product, echoed) => {
    expect(compared(product, asked, echoed)).toEqual({
      conflicts: ['biller'],
      tolerated: written({ recipient: asked.recipient }, echoed),
    });
  });
});

it('tells every two documented billers of a product apart', () => {
  for (const [product, names] of Object.entries(billers)) {
    for (const one of names) {
      for (const other of names) {
        const { conflicts } = compared(product, { biller: one.toLowerCase() }, { biller: other });
        expect(conflicts).toEqual(one === other ? [] : ['biller']);
      }
    }
  }
});

describe('an echo of another purchase', () => {
  it.each<[string, string, object, object, string[]]>([
    [
      'a profile that ends like the phone that was asked for',
      'edu',
      { biller: 'JAMB', recipient: '2348031234567' },
      { biller: 'JAMB', recipient: '08031234567' },
      ['recipient'],
    ],
    [
      'a meter with a single x, which masks nothing',
      'electricity',
      { ...meter, recipient: '1234Y567' },
      { ...meter, recipient: '1234X567' },
      ['recipient'],
    ],
    [
      'a phone with a single dot, which masks nothing',
      'data',
      asked,
      { ...asked, recipient: '0803.34567' },
      ['recipient'],
    ],
    ['by its biller', 'tv', { ...asked, biller: 'DStv' }, { ...asked, biller: 'gotv' }, ['biller']],
    ['by its phone', 'airtime', asked, { ...asked, recipient: '08031234568' }, ['recipient']],
    ['by a masked phone', 'airtime', asked, { ...asked, recipient: '080****4568' }, ['recipient']],
    [
      'by the last digits behind a mask',
      'airtime',
      asked,
      { ...asked, recipient: '*******4568' },
      ['recipient'],
    ],
    [
      'by the first digits before a mask',
      'airtime',
      asked,
      { ...asked, recipient: '0805*******' },
      ['recipient'],
    ],
    [
      'by the start of a masked phone',
      'airtime',
      asked,
      { ...asked, recipient: '081****4567' },
      ['recipient'],
    ],
    ['by the middle of a masked phone', 'airtime', asked, { ...asked, recipient: '08*99*67' }, ['recipient']],
    ['by its last digits', 'airtime', asked, { ...asked, recipient: '4568' }, ['recipient']],
    ['by too few digits to be a part', 'airtime', asked, { ...asked, recipient: '567' }, ['recipient']],
    [
      'by visible digits that overlap',
      'airtime',
      asked,
      { ...asked, recipient: '0803123****1234567' },
      ['recipient'],
    ],
    [
      'by a short recipient within another',
      'edu',
      { recipient: '123' },
      { recipient: '91234' },
      ['recipient'],
    ],
    ['by more than a tenth above', 'airtime', asked, { ...asked, amount: 550.01 }, ['amount']],
    [
      'by more than 150 NGN above',
      'airtime',
      { ...asked, amount: 7350 },
      { ...asked, amount: 7501 },
      ['amount'],
    ],
    ['by an amount of nothing', 'airtime', asked, { ...asked, amount: 0 }, ['amount']],
    ['by more than a tenth', 'airtime', asked, { ...asked, amount: 449.99 }, ['amount']],
    ['by more than 150 NGN', 'airtime', { ...asked, amount: 7351 }, { ...asked, amount: 7200 }, ['amount']],
    [
      'by everything, in the order of the parameters',
      'airtime',
      asked,
      { biller: 'GLO', recipient: '08051234567', amount: 1 },
      ['biller', 'recipient', 'amount'],
    ],
    [
      'by a meter that differs before its last ten digits',
      'electricity',
      { ...meter, recipient: '11240009529' },
      { ...meter, recipient: '21240009529' },
      ['recipient'],
    ],
    [
      'by a profile, which is no phone',
      'edu',
      { biller: 'JAMB', recipient: '10123456789' },
      { biller: 'JAMB', recipient: '20123456789' },
      ['recipient'],
    ],
    [
      'by a profile that was masked',
      'edu',
      { biller: 'JAMB', recipient: 'AB12CD' },
      { biller: 'JAMB', recipient: 'AB**DC' },
      ['recipient'],
    ],
  ])('%s', (_, product, wanted, echoed, fields) => {
    expect(compared(product, wanted, echoed).conflicts).toEqual(fields);
  });

  it('has both values of every field that differs', () => {
    expect(compareEcho('airtime', asked, { ...asked, recipient: '0809', amount: '600' }).conflicts).toEqual([
      { field: 'recipient', asked: '08031234567', echoed: '0809' },
      { field: 'amount', asked: 500, echoed: '600' },
    ]);
  });
});

describe('for any purchase', () => {
  const ten = fc.stringMatching(/^[789][01]\d{8}$/);
  const form = fc.constantFrom<(digits: string) => string>(
    (digits) => digits,
    (digits) => `0${digits}`,
    (digits) => `+234${digits}`,
    (digits) => `234 ${digits.slice(0, 3)} ${digits.slice(3)}`,
    (digits) => `(0${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
  );

  it('any form of its phone is the same, and no form of another is', () => {
    fc.assert(
      fc.property(ten, ten, form, form, (one, other, asForm, echoForm) => {
        const echo = (digits: string) =>
          compared('airtime', { recipient: asForm(one) }, { recipient: echoForm(digits) }).conflicts;
        expect(echo(one)).toEqual([]);
        expect(echo(other)).toEqual(one === other ? [] : ['recipient']);
      }),
    );
  });

  it('a mask over any part of its recipient is the same', () => {
    const recipient = fc.stringMatching(/^\d{6,13}$/);
    fc.assert(
      fc.property(recipient, fc.nat(12), fc.integer({ min: 1, max: 13 }), (digits, from, length) => {
        const masked = digits.slice(0, from) + '*'.repeat(length) + digits.slice(from + length);
        for (const product of ['airtime', 'electricity']) {
          expect(compared(product, { recipient: digits }, { recipient: masked }).conflicts).toEqual([]);
        }
      }),
    );
  });

  it('no commission, no fee and no rounding makes its amount another', () => {
    const kobo = fc.integer({ min: 1, max: 50_000_000 });
    const rounding = fc.constantFrom<(amount: number) => number>(
      Math.floor,
      Math.ceil,
      Math.round,
      (amount) => Math.round(amount * 100) / 100,
    );
    fc.assert(
      fc.property(kobo, fc.integer({ min: -1000, max: 1000 }), rounding, (n, perTenThousand, round) => {
        const amount = n / 100;
        const room = Math.min(150, (amount * Math.abs(perTenThousand)) / 10_000);
        const echoed = round(amount + Math.sign(perTenThousand) * room);
        expect(compared('airtime', { amount }, { amount: echoed }).conflicts).toEqual([]);
      }),
    );
  });

  it('an amount beyond the room on either side is another', () => {
    const amount = fc.integer({ min: 100, max: 50_000_000 }).map((n) => n / 100);
    fc.assert(
      fc.property(amount, fc.double({ min: 1, max: 10_000, noNaN: true }), fc.boolean(), (of, by, above) => {
        const room = Math.min(150, of / 10) + by;
        const echoed = above ? of + room : of - room;
        expect(compared('airtime', { amount: of }, { amount: echoed }).conflicts).toEqual(['amount']);
      }),
    );
  });
});

describe('the text about a difference', () => {
  const hideMiddle = (_: string, value: unknown) => String(value).replace(/^(.{4}).*(.{3})$/, '$1****$2');

  it('has both values', () => {
    expect(
      describeDifference({ field: 'amount', asked: 500, echoed: 20_000 }, (_, value) => String(value)),
    ).toBe('amount 500 was asked, 20000 came back');
  });

  it('names the positions where the values look alike because they are masked', () => {
    const difference = { field: 'recipient', asked: '08031234567', echoed: '08039934567' } as const;
    expect(describeDifference(difference, hideMiddle)).toBe(
      'recipient 0803****567 was asked, and the one that came back differs in characters 5, 6, which is hidden here',
    );
    expect(describeDifference({ ...difference, echoed: '08031244567' }, hideMiddle)).toContain(
      'in character 7,',
    );
  });

  it('never says that a value and the same value differ', () => {
    const phone = fc.stringMatching(/^\d{8,13}$/);
    fc.assert(
      fc.property(phone, phone, (asked, echoed) => {
        fc.pre(asked !== echoed);
        const text = describeDifference({ field: 'recipient', asked, echoed }, hideMiddle);
        const [, one, other] = /recipient (\S+) was asked, (\S+) came back/.exec(text) ?? [];
        if (one === undefined) expect(text).toMatch(/differs in characters? \d/);
        else expect(one).not.toBe(other);
      }),
    );
  });
});
