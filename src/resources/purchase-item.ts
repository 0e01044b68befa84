import { checkPurchaseItem, type PurchaseItem } from '../contract/purchase-item.js';
import type { Purchase } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import { givenKey } from '../http/call-operation.js';
import type { PurchaseOptions } from '../options.js';

/** Buys one item of any product. */
export function purchaseItem(
  call: CallOperation,
  given: PurchaseItem,
  options: PurchaseOptions | undefined,
): ApiCall<Purchase> {
  const checked = checkPurchaseItem(given);
  if (!checked.ok) {
    const mayHaveCharged = options?.resume === true;
    const context = { operation: 'purchase', idempotencyKey: givenKey(given), mayHaveCharged };
    return call.refuse(context, checked.errors);
  }
  const { product, params, idempotency_key } = checked.item;
  return call(`${product}.purchase`, { ...params, idempotency_key }, options);
}
