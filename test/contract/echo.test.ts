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

/** The fields in which an echo reads otherwise, although it is about the same purchase. */
const written = (wanted: object, echoed: object) =>
  (['biller', 'recipient'] as const).filter((name) => {
    const [one, other] = [wanted, echoed].map((fields) => Reflect.get(fields, name));
    const plain = (value: unknown) =>
      name === 'biller' ? String(value).replace(/\W/g, '').toUpperCase() : String(value).trim();
    const isReadable = (value: unknown) =>
      (typeof value === 'string' && value.trim() !== '') || Number.isSafeInteger(value);
    return isReadable(one) && isReadable(other) && plain(one) !== plain(other);
  });

/** Which kind of recipient: the phone of a purchase of airtime or data, a meter, a profile, a phone for WAEC. */
type Kind = 'phone' | 'meter' | 'profile' | 'waec';
const purchase = (kind: Kind, recipient: unknown): [product: string, fields: object] =>
  ({
    phone: ['airtime', { ...asked, recipient }] as [string, object],
    meter: ['electricity', { ...meter, recipient }] as [string, object],
    profile: ['edu', { biller: 'JAMB', recipient }] as [string, object],
    waec: ['edu', { biller: 'WAEC', recipient }] as [string, object],
  })[kind];

describe('an echo of what was asked', () => {
  it.each<[kind: Kind, wanted: string, echoed: unknown]>([
    ['phone', '08031234567', '2348031234567'],
    ['phone', '08031234567', '0023480 3123 4567'],
    ['phone', '08031234567', '8031234567'],
    ['phone', '08031234567', 8_031_234_567],
    ['phone', '+2348031234567', '08031234567'],
    ['phone', '08031234567', '08031234567 (9MOBILE)'],
    ['phone', '08031234567', '080*12**67'],
    ['phone', '08031234567', '***********'],
    ['phone', '08031234567', '+234 803 •••• 567'],
    ['phone', '08031234567', '0803XXX4567'],
    ['phone', '08031234567', '0803...4567'],
    ['phone', '08031234567', '0803---4567'],
    ['phone', '08031234567', '0803___4567'],
    ['phone', '08031234567', '0803###4567'],
    ['phone', '08031234567', '4567'],
    ['phone', '08031230007', '0007'],
    ['phone', '08031234567', undefined],
    ['phone', '08031234567', ' '],
    ['phone', '08031234567', null],
    ['meter', '45700123456', '45700123456 (IKEDC PREPAID)'],
    ['meter', '45700123456', '45700123456-01'],
    ['meter', '45700123456', 'METER 45700123456'],
    ['meter', '45700123456', 'METER 457****3456'],
    ['meter', '1234', '1234-9'],
    ['meter', '00123456', '123456'],
    ['meter', '45-700-123-456', '45700123456'],
    ['meter', '0124000952992', 124_000_952_992],
    // Beyond the safe integers, where digits are lost.
    ['meter', '45700123456789012345', 45_700_123_456_789_012_000],
    ['profile', '0001234567', 1_234_567],
    ['profile', 'ab-12', 'AB12'],
    ['waec', '+2348031234567', '08031234567'],
    ['waec', '08031234567', '+2348031234567'],
  ])('of a %s: %s may come back as %s', (kind, recipient, echo) => {
    const [product, wanted] = purchase(kind, recipient);
    const [, echoed] = purchase(kind, echo);
    expect(compared(product, wanted, echoed)).toEqual({ conflicts: [], tolerated: written(wanted, echoed) });
  });

  it.each<[product: string, wanted: string, echoed: unknown]>([
    ['airtime', 'MTN', 'mtn'],
    ['airtime', '9MOBILE', 'T2'],
    ['data', 'T2 Mobile', '9mobile'],
    ['electricity', 'IKEDC', 'Ikeja Electric'],
    ['airtime', 'MTN', undefined],
    ['airtime', 'MTN', ''],
    ['airtime', 'MTN', null],
  ])('the biller for %s: %s may come back as %s', (product, biller, echo) => {
    const [wanted, echoed] = [
      { ...asked, biller },
      { ...asked, biller: echo },
    ];
    expect(compared(product, wanted, echoed)).toEqual({ conflicts: [], tolerated: written(wanted, echoed) });
  });

  it.each<[wanted: number | undefined, echoed: unknown]>([
    [500, ' 500.00 '],
    [0.1 + 0.2, 0.3],
    [10.015, 10.02],
    [500, 500.001],
    [500, undefined],
    [500, ''],
    [500, null],
    [500, '1,000.00'],
    [undefined, 750],
  ])('the amount: %s may come back as %s', (amount, echoed) => {
    expect(compared('data', { ...asked, amount }, { ...asked, amount: echoed })).toEqual({
      conflicts: [],
      tolerated: [],
    });
  });
});

describe('a difference that the documents leave room for', () => {
  it.each<[number, number]>([
    [500, 490],
    [500, 450],
    [100_000, 99_850],
    [99.5, 99],
    [99.5, 100],
    [0.5, 0],
    [500, 500.01],
    [500, 550],
    [999.5, 1100],
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
  it.each<[kind: Kind, wanted: string, echoed: string]>([
    ['phone', '08031234567', '08031234568'],
    ['phone', '08031234567', '080****4568'],
    ['phone', '08031234567', '*******4568'],
    ['phone', '08031234567', '0805*******'],
    ['phone', '08031234567', '081****4567'],
    ['phone', '08031234567', '08*99*67'],
    ['phone', '08031234567', '4568'],
    // Too few digits to be a part, visible digits that overlap, a single dot or x, which masks nothing.
    ['phone', '08031234567', '567'],
    ['phone', '08031234567', '0803123****1234567'],
    ['phone', '08031234567', '0803.34567'],
    ['meter', '1234Y567', '1234X567'],
    ['meter', '11240009529', '21240009529'],
    ['profile', '2348031234567', '08031234567'],
    ['profile', '10123456789', '20123456789'],
    ['profile', 'AB12CD', 'AB**DC'],
    ['profile', '123', '91234'],
  ])('of a %s: %s is not %s', (kind, recipient, echo) => {
    const [product, wanted] = purchase(kind, recipient);
    expect(compared(product, wanted, purchase(kind, echo)[1]).conflicts).toEqual(['recipient']);
  });

  it.each([
    [500, 550.01],
    [500, 449.99],
    [500, 0],
    [7350, 7501],
    [7351, 7200],
  ])('for %d NGN is not for %d', (amount, echoed) => {
    expect(compared('airtime', { amount }, { amount: echoed }).conflicts).toEqual(['amount']);
  });

  it('names what differs in the order of the parameters', () => {
    const other = { biller: 'GLO', recipient: '08051234567', amount: 1 };
    expect(compared('airtime', asked, other).conflicts).toEqual(['biller', 'recipient', 'amount']);
    const { conflicts } = compared('tv', { ...asked, biller: 'DStv' }, { ...asked, biller: 'gotv' });
    expect(conflicts).toEqual(['biller']);
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
