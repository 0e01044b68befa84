import type { OrderInput } from '../../orders/order.js';
import type { FaultOptions } from '../../sandbox/index.js';

/** What goes wrong with the first request of an order, by its name in the report. */
const troubles = {
  'responses lost after the debit': { when: 'after', connection: 'close' },
  'response bodies cut off': { when: 'after', cutBody: true },
  'responses 429': { when: 'before', status: 429, retryAfter: 1 },
  'responses 503, twice each': { when: 'before', status: 503, code: 'PROVIDER_UNAVAILABLE', times: 2 },
  'responses 500 after the debit': { when: 'after', status: 500 },
  'connections closed before the debit': { when: 'before', connection: 'close' },
} as const satisfies Readonly<Record<string, Omit<FaultOptions, 'recipient'>>>;

type Trouble = keyof typeof troubles;

/** One order of the proof, and how it must end. */
export interface PlannedOrder {
  readonly input: OrderInput;
  readonly trouble: Trouble | undefined;
  readonly end: 'delivered' | 'failed';
}

/** The sandbox lets every transaction for this number fail. */
const failingRecipient = '08000000001';

/**
 * The orders to buy. Every second one is troubled, and every tenth fails to be delivered. Each troubled order has a recipient of its own, so
 * that exactly its request is troubled.
 */
export function planOrders(count: number): PlannedOrder[] {
  const names = Object.keys(troubles) as Trouble[];
  return Array.from({ length: count }, (_, at): PlannedOrder => {
    const id = `prove-${at + 1}`;
    const amount = 1000 + (at % 7);
    const end = at % 10 === 2 ? 'failed' : 'delivered';
    const trouble = at % 2 === 1 ? names[((at - 1) / 2) % names.length] : undefined;
    if (at % 4 < 2 || end === 'failed') {
      const recipient = end === 'failed' ? failingRecipient : `0803${String(1_000_000 + at)}`;
      return {
        input: { id, product: 'airtime', params: { biller: 'MTN', recipient, amount } },
        trouble,
        end,
      };
    }
    const recipient = String(1_010_000_000_000 + at);
    const params = {
      biller: 'IKEDC',
      recipient,
      meter_type: 'prepaid',
      amount,
      customer_phone: '08031234567',
    } as const;
    return { input: { id, product: 'electricity', params }, trouble, end };
  });
}

/** The faults of the plan, for the sandbox. */
export const faultsOf = (plan: readonly PlannedOrder[]): FaultOptions[] =>
  plan.flatMap(({ input, trouble }) =>
    trouble === undefined ? [] : [{ ...troubles[trouble], recipient: input.params.recipient }],
  );

/** How often each thing goes wrong. */
export function troublesOf(plan: readonly PlannedOrder[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { trouble } of plan) if (trouble) counts[trouble] = (counts[trouble] ?? 0) + 1;
  return counts;
}
