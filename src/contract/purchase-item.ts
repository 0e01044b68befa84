import { type Operation, operations, type ParamsOf } from './operations.js';
import { type FieldErrors, validateParams } from './validate-params.js';
import { type Product, products } from './vocabulary.js';

type ItemOf<P extends Product> = {
  /** The product family to buy from. */
  readonly product: P;
  /** The parameters of `billpay[product].purchase`, without the key. */
  readonly params: Omit<ParamsOf<`${P}.purchase`>, 'idempotency_key'>;
  /** Your own unique value for this one sale, such as the order's id or the row's number in a file that never changes. */
  readonly idempotency_key: string;
};

/** One item to buy, whatever its product: `product` tells which parameters it has. */
export type PurchaseItem = { [P in Product]: ItemOf<P> }[Product];

/** Checks an item as the client would, before anything is sent: every problem by the name of its field, or undefined. */
export function purchaseItemErrors(item: unknown): FieldErrors | undefined {
  if (typeof item !== 'object' || item === null) {
    return { item: 'must be an object: { product, params, idempotency_key }' };
  }
  const { product, params, idempotency_key } = item as Partial<Record<string, unknown>>;
  const known = products.find((name) => name === product);
  if (!known) return { product: `must be one of ${products.join(', ')}` };
  const operation: Operation = operations[`${known}.purchase`];
  const checked = validateParams(operation.paramsSchema, { ...Object(params), idempotency_key });
  return checked.ok ? undefined : checked.errors;
}
