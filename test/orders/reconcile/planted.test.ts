import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryOrderStore, reconcileFindings } from '../../../src/orders/index.js';
import { foundIn, type PlannedSale, plantBooks, plants, sorted } from './planted-books.js';

const sale = fc.record<PlannedSale>({
  // Most sales of a shop are right.
  plant: fc.oneof(
    { weight: 1, arbitrary: fc.constant('nothing' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...plants) },
  ),
  fails: fc.boolean(),
  amount: fc.integer({ min: 5_000, max: 2_000_000 }).map((kobo) => kobo / 100),
});

it('reports exactly what was planted, whatever it is, and the balance that should remain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sale, { minLength: 1, maxLength: 40 }), async (sales) => {
      const books = await plantBooks(sales, (now) => memoryOrderStore({ now }));
      try {
        const report = await books.reconcile();
        expect(foundIn(report)).toEqual(sorted(books.expected));
        expect(report.statement?.expectedBalance).toBe(books.expectedBalance);
        expect(report.complete).toBe(true);
      } finally {
        await books.close();
      }
    }),
    { numRuns: 20 },
  );
});

it('reports each kind of difference where it is the only one of its order', async () => {
  const sales = plants.flatMap((plant) =>
    [false, true].map((fails): PlannedSale => ({ plant, fails, amount: 123.45 })),
  );
  const books = await plantBooks(sales, (now) => memoryOrderStore({ now }));
  const report = await books.reconcile();
  await books.close();
  expect(foundIn(report)).toEqual(sorted(books.expected));
  const kinds = new Set(report.findings.map(({ kind }) => kind));
  const others = ['not-covered', 'balance', 'reference-missing'];
  expect([...kinds, ...others].sort()).toEqual(Object.keys(reconcileFindings).sort());
  for (const { message, whatToDo, applied } of report.findings)
    expect({ message, whatToDo, applied }).toEqual({
      message: expect.stringMatching(/^[A-Z].+\.$/),
      whatToDo: expect.stringMatching(/^[A-Z].+\.$/),
      applied: false,
    });
});

it('compares with the statement alone, without a request', async () => {
  const sales = (
    ['nothing', 'debit-missing', 'credit-missing', 'refused-but-charged', 'amount'] as const
  ).map((plant): PlannedSale => ({ plant, fails: false, amount: 500 }));
  const books = await plantBooks(sales, (now) => memoryOrderStore({ now }));
  const report = await books.reconcile({ lookUp: 'none' });
  await books.close();
  expect(report.lookedUp).toBe(0);
  // Without a lookup the stored amount counts, and so the debit differs from it.
  expect(foundIn(report)).toEqual([
    'credit-missing order-2',
    'debit-amount order-4',
    'debit-missing order-1',
    'refused-but-charged order-3',
  ]);
});
