import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryOrderStore } from '../../../src/orders/index.js';
import { foundIn, type PlannedOrder, plantBooks, plants, sorted } from './planted-books.js';

const plan = fc.record<PlannedOrder>({
  // Most orders of a shop are right.
  plant: fc.oneof(
    { weight: 1, arbitrary: fc.constant('nothing' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...plants) },
  ),
  fails: fc.boolean(),
  amount: fc.integer({ min: 5_000, max: 2_000_000 }).map((kobo) => kobo / 100),
});

it('reports exactly what was planted, whatever it is, and the balance that should remain', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 40 }),
      fc.boolean(),
      async (plans, withKeys) => {
        const books = await plantBooks(plans, (now) => memoryOrderStore({ now }), { withKeys });
        try {
          const report = await books.reconcile();
          expect(foundIn(report)).toEqual(sorted(books.expected));
          expect(report.statement?.expectedBalance).toBe(books.expectedBalance);
          expect(report.complete).toBe(true);
        } finally {
          await books.close();
        }
      },
    ),
    { numRuns: 20 },
  );
});

it.each([true, false])(
  'finds each difference where it is the only one of its order, with keys: %s',
  async (withKeys) => {
    const plans = plants.flatMap((plant) =>
      [false, true].map((fails): PlannedOrder => ({ plant, fails, amount: 123.45 })),
    );
    const books = await plantBooks(plans, (now) => memoryOrderStore({ now }), { withKeys });
    const report = await books.reconcile();
    await books.close();
    expect(foundIn(report)).toEqual(sorted(books.expected));
    expect(report.statement?.expectedBalance).toBe(books.expectedBalance);
    for (const { message, whatToDo } of report.findings)
      expect({ message, whatToDo }).toEqual({
        message: expect.stringMatching(/^[A-Z].+\.$/),
        whatToDo: expect.stringMatching(/^[A-Z].+\.$/),
      });
  },
);

it('compares with the statement alone, without a request', async () => {
  const plans = (
    ['nothing', 'debit-missing', 'credit-missing', 'refused-but-charged', 'amount'] as const
  ).map((plant): PlannedOrder => ({ plant, fails: false, amount: 500 }));
  const books = await plantBooks(plans, (now) => memoryOrderStore({ now }));
  const report = await books.reconcile({ check: 'none' });
  await books.close();
  expect(report.checked).toBe(0);
  // Without a lookup the stored amount counts, and so the debit differs from it.
  expect(foundIn(report)).toEqual([
    'credit-missing order-2',
    'debit-amount order-4',
    'debit-missing order-1',
    'refused-but-charged order-3',
  ]);
});
