import type { OrderInput, Orders } from 'billpay/orders';
import type { Sandbox } from 'billpay/sandbox';
import { expect } from 'vitest';

/** Orders of one run: every tenth fails to be delivered and is refunded; every eleventh is refused, because its product does not exist. */
export const ordersOf = (seed: number, count: number): OrderInput[] =>
  Array.from({ length: count }, (_, at) => {
    const recipient = at % 10 === 3 ? '08000000001' : `0803${1_000_000 + at}`;
    const id = `order-${seed}-${at}`;
    return at % 11 === 7
      ? { id, product: 'data', params: { biller: 'MTN', recipient, product_code: 'NONE' } }
      : { id, product: 'airtime', params: { biller: 'MTN', recipient, amount: 50 + (at % 7) } };
  });

/**
 * Ends the orders in review as a person does who sees what the service has sold, and counts the orders by state. An order that was unknown is
 * never refused by a later refusal: a person finds that it was never charged.
 */
export async function review<Client>(orders: Orders<Client>, sold: readonly string[]) {
  for (const { id } of await orders.list({ state: 'review', limit: 1000 })) {
    if (sold.includes(id)) await orders.retry(id);
    else await orders.resolve(id, { as: 'refused', note: 'the service has no transaction of this key' });
  }
  return (await orders.stats()).count;
}

/** An order as the tests read it from the database. */
export interface StoredEnd {
  readonly id: string;
  readonly state: string;
  readonly reference: string | null;
}

const endOf: Readonly<Record<string, string>> = { success: 'delivered', failed: 'failed' };

/** One charge and one end for each order, and the end that the service knows of. `hooks` are the hooks that ran and were committed. */
export function judge(
  all: readonly OrderInput[],
  stored: readonly StoredEnd[],
  hooks: readonly { id: string; kind: string }[],
  { transactions }: Sandbox,
): void {
  const bought = new Map(transactions.map((one) => [one.idempotency_key, one]));
  expect(transactions).toHaveLength(bought.size);
  expect(stored).toHaveLength(all.length);
  const ran = new Map<string, string[]>();
  for (const { id, kind } of hooks) ran.set(id, [...(ran.get(id) ?? []), kind]);
  for (const { id, state, reference } of stored) {
    const transaction = bought.get(id);
    expect([id, ran.get(id)]).toEqual([id, [state]]);
    if (state === 'refused') expect([id, transaction]).toEqual([id, undefined]);
    else
      expect([id, reference, state]).toEqual([id, transaction?.reference, endOf[transaction?.status ?? '']]);
  }
}
