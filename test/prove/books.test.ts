import { describe, expect, it } from 'vitest';
import { type Books, differencesIn } from '../../src/prove/books.js';
import { planOrders } from '../../src/prove/plan.js';

const plan = planOrders(7).filter((_, at) => [0, 2, 6].includes(at));
const [delivered, failed, refused] = plan.map(({ input }) => input.id) as [string, string, string];

const audit = {
  ok: true,
  problems: [],
  transactions: 2,
  debits: 2,
  refunds: 1,
  debited: 202,
  refunded: 102,
  balance: 900,
};

/** Books in which nothing differs. */
const sound: Books = {
  plan,
  orders: [
    { id: delivered, state: 'delivered', reference: 'TXN-1', amount: 100 },
    { id: failed, state: 'failed', reference: 'TXN-2', amount: 102 },
    { id: refused, state: 'refused', reference: undefined, amount: undefined },
  ],
  ends: [
    { id: delivered, state: 'delivered' },
    { id: failed, state: 'failed' },
    { id: refused, state: 'refused' },
  ],
  transactions: [
    { reference: 'TXN-1', idempotency_key: delivered, status: 'success', amount: 100, refunded: false },
    { reference: 'TXN-2', idempotency_key: failed, status: 'failed', amount: 102, refunded: true },
  ],
  audit,
  funded: 1000,
  balance: 900,
};

const differencesOf = (change: Partial<Books>) => differencesIn({ ...sound, ...change });

describe('the books of the proof', () => {
  it('plan one delivered, one failed and one refused order here', () => {
    expect(plan.map(({ end }) => end)).toEqual(['delivered', 'failed', 'refused']);
  });

  it('agree where every order was charged once and ended once', () => {
    expect(differencesIn(sound)).toEqual([]);
  });

  const [first, second] = sound.transactions;
  const charged = (other: object) => ({
    transactions: [...sound.transactions, { ...first, ...other } as never],
  });
  /** The books in which the first order differs. */
  const ordered = (other: object) => ({
    orders: [{ ...sound.orders[0], ...other } as never, ...sound.orders.slice(1)],
  });
  const planted: readonly [string, Partial<Books>, RegExp][] = [
    [
      'an order that is not stored',
      { orders: sound.orders.slice(1) },
      /prove-1 was placed and is not stored/,
    ],
    [
      'an order that has not ended',
      ordered({ state: 'accepted' }),
      /prove-1 is accepted; expected delivered/,
    ],
    ['a second charge', charged({ reference: 'TXN-3' }), /prove-1 \(delivered\) was charged 2 times/],
    ['a charge of a refused order', charged({ idempotency_key: refused }), /\(refused\) was charged 1 times/],
    [
      'a missing refund',
      { transactions: [first, { ...second, refunded: false }] as never },
      /refund is missing/,
    ],
    [
      'a hook that did not run',
      { ends: sound.ends.slice(1) },
      /must run the hook delivered once; it ran: none/,
    ],
    [
      'a hook that ran twice',
      { ends: [...sound.ends, ...sound.ends.slice(0, 1)] },
      /it ran: delivered, delivered/,
    ],
    ['another reference', ordered({ reference: 'TXN-9' }), /has the reference TXN-9; the service TXN-1/],
    ['another amount', ordered({ amount: 99 }), /has the amount 99; the service charged 100/],
    [
      'a charge without an order',
      charged({ idempotency_key: 'other' }),
      /under the key other, which no order has/,
    ],
    ['another balance', { balance: 800 }, /the wallet has 800 NGN; the orders leave 900 NGN/],
    [
      'a problem of the service',
      { audit: { ...audit, problems: ['TXN-1 was debited 2 times'] } },
      /debited 2 times/,
    ],
  ];
  it.each(planted)('show %s', (_name, change, difference) => {
    expect(differencesOf(change).join('\n')).toMatch(difference);
  });
});
