import { createHash } from 'node:crypto';
import type { ParamsOf } from '../contract/operations.js';
import { type PurchaseItem, purchaseItemErrors } from '../contract/purchase-item.js';
import type { Purchase } from '../contract/responses.js';
import type { Product } from '../contract/vocabulary.js';
import type { CallOptions } from '../options.js';

/** One item to buy. */
export type BulkItem = PurchaseItem;

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
export const itemErrors = (item: unknown): Record<string, string> | undefined => purchaseItemErrors(item);

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
