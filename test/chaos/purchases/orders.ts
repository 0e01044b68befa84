import fc from 'fast-check';
import type { BillPay, Purchase, PurchaseOptions } from '../../../src/index.js';
import { drawn, sometimes } from './drawn.js';

/** One purchase that a caller wants to make, identified by its recipient. */
export interface Order {
  readonly id: string;
  readonly recipient: string;
  /** The caller's own key; undefined to let the client make one. */
  readonly key: string | undefined;
  /** Makes the call under a key. */
  buy(client: BillPay, key: string | undefined, options: PurchaseOptions): Promise<Purchase>;
}

type Buy = (
  client: BillPay,
  recipient: string,
  key: { idempotency_key?: string },
  options: PurchaseOptions,
) => Promise<Purchase>;

const airtime: Buy = (client, recipient, key, options) =>
  client.airtime.purchase({ biller: 'MTN', recipient, amount: 100.5, ...key }, options);

/** All five products, airtime the most. */
const purchase = fc.constantFrom<Buy>(
  airtime,
  airtime,
  (client, recipient, key, options) =>
    client.data.purchase({ biller: 'Glo', recipient, product_code: 'GLO-1.5GB-14D', ...key }, options),
  (client, recipient, key, options) =>
    client.tv.purchase({ biller: 'GOTV', recipient, product_code: 'GOTV-SMALLIE', ...key }, options),
  (client, recipient, key, options) =>
    client.electricity.purchase(
      { biller: 'IKEDC', recipient, meter_type: 'prepaid', amount: 2500, ...key },
      options,
    ),
  (client, recipient, key, options) =>
    client.edu.purchase(
      { biller: 'WAEC', recipient, product_code: 'WAEC-RESULT', quantity: 2, ...key },
      options,
    ),
);

/** Order n of a run. */
export function orderOf(seed: string, n: number): Order {
  const id = `order-${n}`;
  const recipient = `081${String(n).padStart(8, '0')}`;
  const [buy, withoutKey] = drawn(
    fc.tuple(purchase, sometimes(0.1, fc.constant(true))),
    `${seed} order ${n}`,
  );
  return {
    id,
    recipient,
    key: withoutKey ? undefined : `${seed}-${id}`,
    buy: (client, key, options) =>
      buy(client, recipient, key === undefined ? {} : { idempotency_key: key }, options),
  };
}
