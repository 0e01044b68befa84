import type { OrderInput } from '../orders/order.js';
import type { FaultOptions } from '../sandbox/index.js';

/** What goes wrong with the first request of an order. */
export interface Trouble {
  /** Its name in the report. */
  readonly name: string;
  readonly fault: Omit<FaultOptions, 'recipient'>;
}

/** One order of the proof, and how it must end. */
export interface PlannedOrder {
  readonly input: OrderInput;
  readonly trouble: Trouble | undefined;
  readonly end: 'delivered' | 'failed' | 'refused';
}

const troubles: readonly Trouble[] = [
  { name: 'responses lost after the debit', fault: { when: 'after', connection: 'close' } },
  { name: 'response bodies cut off', fault: { when: 'after', cutBody: true } },
  { name: 'responses 429', fault: { when: 'before', status: 429, retryAfter: 1 } },
  { name: 'responses 503', fault: { when: 'before', status: 503, code: 'PROVIDER_UNAVAILABLE', times: 2 } },
  { name: 'responses 500 after the debit', fault: { when: 'after', status: 500 } },
  { name: 'connections closed before the debit', fault: { when: 'before', connection: 'close' } },
];

/** The sandbox lets every sale to this number fail. */
const failingRecipient = '08000000001';

/**
 * The orders to buy. Every second one is troubled, every tenth fails to be delivered, and every twentieth is refused, because its
 * product does not exist. Each troubled order has a recipient of its own, so that exactly its request is troubled.
 */
export function planOrders(count: number): PlannedOrder[] {
  return Array.from({ length: count }, (_, at): PlannedOrder => {
    const id = `prove-${at + 1}`;
    const phone = `0803${String(1_000_000 + at)}`;
    if (at % 20 === 6) {
      const params = { biller: 'MTN', recipient: phone, product_code: 'NO-SUCH-PRODUCT' };
      return { input: { id, product: 'data', params }, trouble: undefined, end: 'refused' };
    }
    if (at % 10 === 2) {
      const params = { biller: 'MTN', recipient: failingRecipient, amount: 100 + (at % 7) };
      return { input: { id, product: 'airtime', params }, trouble: undefined, end: 'failed' };
    }
    const trouble = at % 2 === 1 ? troubles[((at - 1) / 2) % troubles.length] : undefined;
    return { input: at % 4 < 2 ? airtime(id, phone, at) : electricity(id, at), trouble, end: 'delivered' };
  });
}

const airtime = (id: string, recipient: string, at: number): OrderInput => ({
  id,
  product: 'airtime',
  params: { biller: 'MTN', recipient, amount: 100 + (at % 7) },
});

const electricity = (id: string, at: number): OrderInput => ({
  id,
  product: 'electricity',
  params: {
    biller: 'IKEDC',
    recipient: String(1_010_000_000_000 + at),
    meter_type: 'prepaid',
    amount: 1000 + (at % 7),
    customer_phone: '08031234567',
  },
});

/** How often each kind of trouble is planned, by its name. */
export function countTroubles(plan: readonly PlannedOrder[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { trouble } of plan) {
    if (trouble) counts.set(trouble.name, (counts.get(trouble.name) ?? 0) + (trouble.fault.times ?? 1));
  }
  return counts;
}
