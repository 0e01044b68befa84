import { toKobo, toNaira } from '../contract/money.js';
import type { Order } from '../orders/order.js';
import type { AuditReport, SandboxTransaction } from '../sandbox/index.js';
import type { PlannedOrder } from './plan.js';

/** A final hook that ran and was committed with its order. */
export interface RecordedEnd {
  readonly id: string;
  readonly state: string;
}

export interface ShopBooks {
  readonly orders: readonly Pick<Order, 'id' | 'state' | 'reference' | 'amount'>[];
  readonly ends: readonly RecordedEnd[];
}

/** What both sides recorded: the shop its orders and hooks, the service its transactions and wallet. */
export interface Books extends ShopBooks {
  readonly plan: readonly PlannedOrder[];
  readonly transactions: readonly Pick<
    SandboxTransaction,
    'reference' | 'idempotency_key' | 'status' | 'amount' | 'refunded'
  >[];
  /** What the sandbox says of its own books. */
  readonly audit: AuditReport;
  /** NGN in the wallet at the end. */
  readonly balance: number;
  /** NGN in the wallet at the start. */
  readonly funded: number;
}

/**
 * Compares the books of the shop with those of the service: every order has one charge and one end, and no charge is without an order.
 * Returns a sentence for each difference.
 */
export function differencesIn(books: Books): string[] {
  const { plan, orders, ends, transactions, audit, balance, funded } = books;
  const byId = new Map(orders.map((order) => [order.id, order]));
  const byKey = groupBy(transactions, ({ idempotency_key }) => idempotency_key);
  const endsOf = groupBy(ends, ({ id }) => id);
  const differences = [...audit.problems];
  for (const { input, end } of plan) {
    const { id } = input;
    const order = byId.get(id);
    if (!order) {
      differences.push(`${id} was placed and is not stored`);
      continue;
    }
    if (order.state !== end) differences.push(`${id} is ${order.state}; expected ${end}`);
    const bought = byKey.get(id) ?? [];
    const expected = end === 'refused' ? 0 : 1;
    if (bought.length !== expected) differences.push(`${id} (${end}) was charged ${bought.length} times`);
    const [transaction] = bought;
    if (transaction) {
      if (order.reference !== transaction.reference)
        differences.push(`${id} has the reference ${order.reference}; the service ${transaction.reference}`);
      if (transaction.refunded !== (end === 'failed'))
        differences.push(`${id} is ${end}, and its refund is ${transaction.refunded ? 'made' : 'missing'}`);
      if (order.amount !== transaction.amount)
        differences.push(`${id} has the amount ${order.amount}; the service charged ${transaction.amount}`);
    }
    const hooks = (endsOf.get(id) ?? []).map(({ state }) => state);
    if (hooks.length !== 1 || hooks[0] !== end)
      differences.push(`${id} must run the hook ${end} once; it ran: ${hooks.join(', ') || 'none'}`);
  }
  const planned = new Set(plan.map(({ input }) => input.id));
  for (const { idempotency_key: key, reference } of transactions)
    if (!planned.has(key))
      differences.push(`the service has ${reference} under the key ${key}, which no order has`);
  const kept = transactions.filter(({ refunded }) => !refunded);
  const left = toNaira(toKobo(funded) - kept.reduce((sum, { amount }) => sum + toKobo(amount), 0));
  if (balance !== left) differences.push(`the wallet has ${balance} NGN; the orders leave ${left} NGN`);
  return differences;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
