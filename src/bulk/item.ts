import { createHash } from 'node:crypto';
import { type Operation, operations, type ParamsOf } from '../contract/operations.js';
import type { Purchase } from '../contract/responses.js';
import { validateParams } from '../contract/validate-params.js';
import { type Product, products } from '../contract/vocabulary.js';
import type { CallOptions } from '../options.js';

type ItemOf<P extends Product> = {
  /** The product family to buy from. */
  readonly product: P;
  /** The parameters of `billpay[product].purchase`, without the key. */
  readonly params: Omit<ParamsOf<`${P}.purchase`>, 'idempotency_key'>;
  /** Your own unique value for this one sale, such as the order's id or the row's number in a file that never changes. */
  readonly idempotency_key: string;
};

/** One item to buy. */
export type BulkItem = { [P in Product]: ItemOf<P> }[Product];

/** The part of a client that `purchaseAll` needs; every `BillPay` has it. */
export type BulkClient = {
  readonly [P in Product]: {
    purchase(params: ParamsOf<`${P}.purchase`>, options?: CallOptions): PromiseLike<Purchase>;
  };
};

/**
 * Checks an item as the client would, before anything is sent.
 *
 * @returns every problem by the name of its field; undefined for an item that can be sent.
 *
 * @example
 * ```ts
 * const errors = itemErrors({ product: 'airtime', params: { biller: 'MTN', recipient: '' , amount: 500 }, idempotency_key: 'row-1' });
 * console.log(errors); // { recipient: '…' }
 * ```
 */
export function itemErrors(item: unknown): Record<string, string> | undefined {
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

/** Buys an item under its key. */
export function purchase(billpay: BulkClient, item: BulkItem, options: CallOptions): PromiseLike<Purchase> {
  const { idempotency_key } = item;
  switch (item.product) {
    case 'airtime':
      return billpay.airtime.purchase({ ...item.params, idempotency_key }, options);
    case 'data':
      return billpay.data.purchase({ ...item.params, idempotency_key }, options);
    case 'tv':
      return billpay.tv.purchase({ ...item.params, idempotency_key }, options);
    case 'electricity':
      return billpay.electricity.purchase({ ...item.params, idempotency_key }, options);
    case 'edu':
      return billpay.edu.purchase({ ...item.params, idempotency_key }, options);
  }
}

/** 48 bits that differ when an item under the same key has changed, whatever the order of its fields. */
export function fingerprint({ product, params }: Pick<BulkItem, 'product' | 'params'>): number {
  const fields = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([product, fields]))
    .digest()
    .readUIntBE(0, 6);
}
