import { type PurchaseItem, purchaseItemErrors } from '../contract/purchase-item.js';
import type { Purchase } from '../contract/responses.js';
import { type ApiCall, ApiCallPromise } from '../http/api-call.js';
import type { CallOperation } from '../http/call-operation.js';
import { checkLocally, givenKey, refusedLocally } from '../http/local-refusal.js';
import type { PurchaseOptions } from '../options.js';

/** Buys one item of any product. */
export function purchaseItem(
  call: CallOperation,
  item: PurchaseItem,
  options: PurchaseOptions | undefined,
): ApiCall<Purchase> {
  const errors = purchaseItemErrors(item);
  if (errors) return new ApiCallPromise(refused(item, errors, options));
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

async function refused(
  item: unknown,
  errors: Record<string, string>,
  options: PurchaseOptions | undefined,
): Promise<never> {
  return checkLocally(
    () => ({ idempotencyKey: givenKey(item), mayHaveCharged: options?.resume === true }),
    () => {
      throw refusedLocally('purchase', errors);
    },
  );
}
