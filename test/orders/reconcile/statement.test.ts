import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, ValidationError } from '../../../src/index.js';
import { type StatementColumns, type StatementRow, statementRows } from '../../../src/orders/index.js';
import { amountOf } from '../../../src/orders/reconcile/statement-rows.js';
import { openShop, purchaseOf } from '../support/shop.js';
import { booksOf } from './planted-books.js';

const columns: StatementColumns = {
  reference: 'Ref',
  kind: 'Type',
  amount: 'Amount (NGN)',
  time: 'Date',
  key: 'Key',
};
const csvRow = (fields: Record<string, string> = {}) => ({
  Ref: 'TXN-1',
  Type: 'Debit',
  'Amount (NGN)': '1,500.00',
  Date: '2026-01-31 12:00:00',
  Key: 'order-1',
  ...fields,
});

async function rowsOf(
  csv: readonly unknown[],
  more: Partial<StatementColumns> = {},
): Promise<StatementRow[]> {
  const rows: StatementRow[] = [];
  for await (const row of statementRows(csv, { ...columns, ...more })) rows.push(row);
  return rows;
}

describe('statementRows', () => {
  it('maps the columns of any CSV', async () => {
    const time = new Date('2026-01-31T12:00:00Z');
    expect(
      await rowsOf([
        csvRow(),
        csvRow({ Type: 'REFUND', 'Amount (NGN)': 'NGN 0.10' }),
        csvRow({ Ref: '', Type: 'funding', Key: '', 'Amount (NGN)': '₦2,000' }),
        csvRow({ Ref: '', Type: 'fee', Key: '', 'Amount (NGN)': '50' }),
        csvRow({ Ref: '', Type: 'other', Key: '', 'Amount (NGN)': '-7' }),
      ]),
    ).toEqual([
      { reference: 'TXN-1', kind: 'debit', amount: 1500, time, key: 'order-1' },
      { reference: 'TXN-1', kind: 'credit', amount: 0.1, time, key: 'order-1' },
      { reference: undefined, kind: 'other', amount: 2000, time },
      { reference: undefined, kind: 'other', amount: -50, time },
      { reference: undefined, kind: 'other', amount: -7, time },
    ]);
  });

  it('reads a column with the signs of the wallet', async () => {
    const written = {
      Debit: '(1,500.00)',
      Refund: '+10',
      Funding: '2000',
      Fee: '-50',
      Other: '7',
      other: '-7',
    };
    const rows = Object.entries(written).map(([Type, amount]) => csvRow({ Type, 'Amount (NGN)': amount }));
    const read = (await rowsOf(rows)).map(({ kind, amount }) => [kind, amount]);
    expect(read).toEqual([
      ['debit', 1500],
      ['credit', 10],
      ['other', 2000],
      ['other', -50],
      ['other', 7],
      ['other', -7],
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['a debit of a negative amount among others', { debit: '500', purchase: '-500' }],
    ['a credit of a negative amount', { debit: '500', credit: '-500' }],
    ['an unsigned fee in a column with signs', { debit: '-500', fee: '50' }],
    ['a signed fee in a column without signs', { debit: '500', fee: '-50' }],
    ['an amount of another kind without a sign', { debit: '500', other: '50' }],
  ])('refuses what would have to be guessed: %s', async (_name, written) => {
    const rows = Object.entries(written).map(([Type, amount]) => csvRow({ Type, 'Amount (NGN)': amount }));
    await expect(rowsOf(rows)).rejects.toThrow(/its amount has (another|no) sign/);
  });

  it('refuses a column that stands in the file twice', async () => {
    const text = 'Ref,Type,Amount (NGN),Date,Key,Amount (NGN)\nTXN-1,debit,900,2026-01-31,k,500\n';
    const rows = parse(text, { columns: true, group_columns_by_name: true });
    await expect(rowsOf(rows)).rejects.toThrow('it has several columns Amount (NGN)');
  });

  it('lets a word mean one thing', async () => {
    const more = { credit: ['Deposit'] };
    expect((await rowsOf([csvRow({ Type: 'deposit' })], more))[0]?.kind).toBe('credit');
    expect(() => statementRows([], { ...columns, ...more, funding: ['deposit'] })).toThrow(
      /^funding: has a word that credit has as well/,
    );
  });

  it('reads words of your own in place of the default ones', async () => {
    const [row] = await rowsOf([csvRow({ Type: 'AIRTIME SALE' })], { debit: ['airtime sale'] });
    expect(row?.kind).toBe('debit');
  });

  it.each([
    ['2026-01-31 12:00:00', 'UTC', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00', 'Africa/Lagos', '2026-01-31T11:00:00.000Z'],
    ['2026-01-31', 'Africa/Lagos', '2026-01-30T23:00:00.000Z'],
    ['2026-01-31T12:00:00.250Z', 'Africa/Lagos', '2026-01-31T12:00:00.250Z'],
    ['2026-01-31T12:00:00+02:00', 'UTC', '2026-01-31T10:00:00.000Z'],
    ['2026-10-25 03:30:00', 'Europe/Berlin', '2026-10-25T02:30:00.000Z'],
  ])('reads the time %s in %s', async (text, timeZone, expected) => {
    const [row] = await rowsOf([csvRow({ Date: text })], { timeZone });
    expect(row?.time?.toISOString()).toBe(expected);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a kind without a word',
      { Type: 'SALE' },
      /Row 2 of the statement cannot be read: the word in its column Type is none of debit, credit, funding, fee and other/,
    ],
    [
      'an amount in words',
      { 'Amount (NGN)': 'many' },
      /the amount in its column Amount \(NGN\) is not such as/,
    ],
    ['a decimal comma', { 'Amount (NGN)': '1.500,00' }, /the amount in its column/],
    ['a fraction of a kobo', { 'Amount (NGN)': '1.005' }, /the amount in its column/],
    ['a day before its month', { Date: '31/01/2026 12:00' }, /the time in its column Date is not such as/],
    ['a month that does not exist', { Date: '2026-13-31' }, /the time in its column Date is not such as/],
    ['a day that does not exist', { Date: '2026-02-30 10:00' }, /the time in its column Date is not such as/],
  ])('refuses %s, and shows no value', async (_name, fields, message) => {
    const error = await rowsOf([csvRow(), csvRow(fields)]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(String(error)).toMatch(message);
    for (const value of Object.values(fields)) expect(String(error)).not.toContain(value);
  });

  it('refuses a column that is missing, and an option that is wrong', async () => {
    await expect(rowsOf([{ Ref: 'TXN-1' }])).rejects.toThrow('it has no column Type');
    expect(() => statementRows([], { reference: 'Ref', kind: 'Type' } as never)).toThrow(ConfigurationError);
    expect(() => statementRows([], { ...columns, debit: 'debit' } as never)).toThrow(
      /^debit: must be a list of words/,
    );
  });

  it('reads every amount of whole kobo exactly, however it is written', () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000_000 });
    fc.assert(
      fc.property(amount, (kobo) => {
        const text = `${Math.floor(kobo / 100)}.${String(kobo % 100).padStart(2, '0')}`;
        const grouped = text.replace(/\B(?=(\d{3})+\.)/g, ',');
        for (const written of [text, grouped, `NGN ${grouped}`, `₦${text}`, `${text} NGN`, `${text}00`])
          expect(amountOf(written)).toBe(kobo / 100);
        if (kobo > 0)
          expect([amountOf(`-${grouped}`), amountOf(`(${text})`)]).toEqual([-kobo / 100, -kobo / 100]);
      }),
    );
  });
});

describe('the statement of a reconciliation', () => {
  const day = { from: new Date('2026-01-31'), to: new Date('2026-02-01') };
  const noon = new Date('2026-01-31T12:00:00Z');
  const row = (fields: Partial<StatementRow> = {}): StatementRow => ({
    reference: 'TXN-1',
    kind: 'debit',
    amount: 500,
    time: noon,
    ...fields,
  });

  /** A shop that sold one order at noon, and what a statement says about it. */
  async function judged(rows: readonly StatementRow[], more: object = {}, range: object = {}) {
    const shop = openShop();
    await shop.place('order-1');
    shop.purchases.push(purchaseOf('TXN-1'));
    await shop.orders.buy('order-1');
    const report = await booksOf(
      shop.orders.reconcile({
        from: new Date('2026-01-31'),
        to: new Date('2026-02-01'),
        check: 'none',
        statement: { rows, ...more },
        ...range,
      }),
    );
    return { report, found: report.findings.map(({ kind, id, found }) => [kind, id, found]) };
  }

  it('counts funding and fees, and says what remains and what should', async () => {
    const { report, found } = await judged(
      [
        row(),
        row({ kind: 'other', reference: undefined, amount: 1000 }),
        row({ kind: 'other', reference: undefined, amount: -0.1 }),
        row({ reference: 'TXN-9', amount: 0.2 }),
        row({ reference: undefined, kind: 'credit', amount: 7 }),
      ],
      { openingBalance: 100.5, closingBalance: 607.2 },
    );
    expect(found).toEqual([
      ['debit-without-order', undefined, 0.2],
      ['credit-without-order', undefined, 7],
    ]);
    expect(report.statement).toEqual({
      rows: 5,
      debited: 500.2,
      credited: 7,
      other: 999.9,
      change: 506.7,
      expectedChange: 499.9,
      balance: 607.2,
      expectedBalance: 600.4,
    });
  });

  it('reports balances that its rows do not lead from and to', async () => {
    const { report } = await judged([row()], { openingBalance: 1000, closingBalance: 500.01 });
    expect(report.findings).toMatchObject([{ kind: 'balance', stored: 500, found: 500.01 }]);
  });

  it.each<[string, object, object, string]>([
    ['ends before the order was bought', { to: noon }, {}, 'not-covered'],
    [
      'ends a moment after the order was bought',
      { to: new Date(noon.getTime() + 60_000) },
      {},
      'not-covered',
    ],
    ['begins at the moment in which the order was placed', { from: noon }, {}, 'not-covered'],
    ['covers the time of the order', {}, {}, 'debit-missing'],
    [
      'covers more than a range that ends just after the order',
      { to: new Date('2026-02-02') },
      { to: new Date(noon.getTime() + 1) },
      'debit-missing',
    ],
  ])('that lacks a row and %s', async (_name, more, range, kind) => {
    const { report } = await judged([], more, range);
    expect(report.findings.map((finding) => finding.kind)).toEqual([kind]);
  });

  it('does not blame an order outside of the range for its rows', async () => {
    const { found, report } = await judged([row()], { openingBalance: 500 }, { to: noon });
    expect(report.orders).toBe(0);
    expect(found).toEqual([]);
    expect(report.statement?.expectedBalance).toBe(0);
  });

  const dayLater = new Date('2026-02-01T12:00:00Z');
  const nextDay = { from: new Date('2026-02-01'), to: new Date('2026-02-02') };

  it.each<[string, Partial<StatementRow>, object, number]>([
    ['a second debit on another day', { time: dayLater }, {}, -500],
    ['a second debit without a time, in a statement of another day', { time: undefined }, nextDay, -500],
    ['a credit of an order that has not failed', { kind: 'credit', time: dayLater }, {}, 500],
  ])('judges %s against its order, whatever its day', async (_name, fields, covered, kobo) => {
    const { report } = await judged([row(fields)], { ...covered, openingBalance: 1000 }, nextDay);
    expect(report.orders).toBe(0);
    expect(report.findings).toMatchObject([
      {
        kind: fields.kind ? 'credit-unexpected' : 'debit-late',
        id: 'order-1',
        reference: 'TXN-1',
        found: 500,
      },
    ]);
    expect(report.statement).toMatchObject({ balance: 1000 + kobo, expectedBalance: 1000 });
  });

  it('takes no side where neither the row nor the statement has a time', async () => {
    const { found } = await judged([row({ time: undefined })], {}, nextDay);
    expect(found).toEqual([]);
  });

  it('finds a second debit in the statement of several days', async () => {
    const { found, report } = await judged([row(), row({ time: dayLater })], { openingBalance: 1000 });
    expect(found).toEqual([['debit-repeated', 'order-1', 1000]]);
    expect(report.statement?.expectedBalance).toBe(500);
  });

  it('finds a key that was charged under two references, and counts it once', async () => {
    const { report } = await judged([row({ key: 'order-1' }), row({ reference: 'TXN-7', key: 'order-1' })], {
      openingBalance: 1000,
    });
    expect(report.findings).toMatchObject([
      { kind: 'charged-twice', id: 'order-1', reference: 'TXN-7', stored: 'TXN-1', found: 500 },
    ]);
    expect(report.statement).toMatchObject({ balance: 0, expectedBalance: 500 });
  });

  it('finds by its key that a stored reference is not that of the transaction', async () => {
    const { found, report } = await judged([row({ reference: 'TXN-7', key: 'order-1' })], {
      openingBalance: 500,
    });
    expect(found).toEqual([['reference-missing', 'order-1', 'TXN-7']]);
    expect(report.statement?.expectedBalance).toBe(0);
  });

  it.each(['placed', 'refused'] as const)(
    'finds by its key that an order that is %s was charged',
    async (state) => {
      const shop = openShop();
      await shop.place('order-1');
      if (state === 'refused') await shop.orders.cancel('order-1');
      const rows = [row({ key: 'order-1' })];
      const report = await booksOf(
        shop.orders.reconcile({ ...day, check: 'none', statement: { rows, openingBalance: 500 } }),
      );
      const kind = state === 'refused' ? 'refused-but-charged' : 'reference-missing';
      expect(report.findings).toMatchObject([{ kind, id: 'order-1' }]);
      expect(report.statement?.expectedBalance).toBe(state === 'refused' ? 500 : 0);
      expect(report.total.charged).toBe(state === 'refused' ? 0 : 500);
    },
  );

  it.each<[string, unknown, RegExp]>([
    [
      'another kind',
      row({ kind: 'sale' as never }),
      /^Row 1 of the statement cannot be read: kind must be debit, credit or other/,
    ],
    ['an amount as text', row({ amount: '500' as never }), /amount must be a finite number of NGN/],
    ['a negative debit', row({ amount: -500 }), /amount must not be negative/],
    ['an invalid time', row({ time: new Date(Number.NaN) }), /time must be a valid Date/],
  ])('refuses %s', async (_name, wrong, message) => {
    await expect(judged([wrong as StatementRow])).rejects.toThrow(message);
  });
});
