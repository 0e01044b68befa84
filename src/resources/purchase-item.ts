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
  const { item } = checked;
  // One call for each product, so that its parameters are typed.
  const { idempotency_key } = item;
  switch (item.product) {
    case 'airtime':
      return call('airtime.purchase', { ...item.params, idempotency_key }, options);
    case 'data':
      return call('data.purchase', { ...item.params, idempotency_key }, options);
    case 'tv':
      return call('tv.purchase', { ...item.params, idempotency_key }, options);
    case 'electricity':
      return call('electricity.purchase', { ...item.params, idempotency_key }, options);
    case 'edu':
      return call('edu.purchase', { ...item.params, idempotency_key }, options);
  }
}
