import { createHash } from 'node:crypto';
import { contentOf, type PurchaseItem, purchaseItemErrors } from '../contract/purchase-item.js';
import type { Purchase } from '../contract/responses.js';
import type { PurchaseOptions } from '../options.js';

/** One item to buy. */
export type BulkItem = PurchaseItem;

/** The part of a client that `purchaseAll` needs; every `BillPay` has it. */
export interface BulkClient {
  /** Buys one item under its key. */
  purchase(item: BulkItem, options?: PurchaseOptions): PromiseLike<Purchase>;
}

/**
 * Checks an item as the client would, before anything is sent.
 *
 * @returns every problem by the name of its field; undefined for an item that can be sent.
 *
 * @example
 * ```ts
 * const errors = itemErrors({ product: 'airtime', params: { biller: 'MTN', recipient: '', amount: 500 }, idempotency_key: 'row-1' });
 * console.log(errors); // { recipient: '…' }
 * ```
 */
export const itemErrors = (item: unknown): Record<string, string> | undefined => purchaseItemErrors(item);

/**
 * A number of 48 bits that differs when an item under the same key has changed, whatever the order of its fields. A journal of your own
 * gives it for each item that was begun.
 *
 * @example
 * ```ts
 * const item = { product: 'airtime', params: { biller: 'MTN', recipient: '08031234567', amount: 500 }, idempotency_key: 'row-1' } as const;
 * console.log(fingerprint(item)); // the same number for the same product and parameters
 * ```
 */
export const fingerprint = (item: Pick<BulkItem, 'product' | 'params'>): number =>
  createHash('sha256').update(contentOf(item)).digest().readUIntBE(0, 6);
