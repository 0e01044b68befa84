import { foreignBillerProblem } from '../contract/billers.js';
import { operations } from '../contract/operations.js';
import { checkPurchaseItem, type PurchaseItem } from '../contract/purchase-item.js';
import type { Call, ClientConfig } from '../http/call.js';
import { refusedLocally } from '../http/error.js';
import { prepareOperation, requireKey } from '../http/prepare.js';
import type { PurchaseOptions } from '../options.js';

/** Makes the purchase of one item of any product ready to be sent. Its parameters are read and checked once. */
export function prepareItem(
  config: ClientConfig,
  given: PurchaseItem,
  options: PurchaseOptions | undefined,
): Call {
  requireKey(config, operations['airtime.purchase'], 'purchase');
  const checked = checkPurchaseItem(given);
  if (!checked.ok) throw refusedLocally('purchase', checked.errors);
  const { product, params, idempotency_key } = checked.item;
  const problem = foreignBillerProblem(product, params.biller);
  const name = `${product}.purchase` as const;
  if (problem !== undefined) throw refusedLocally(name, { biller: problem });
  return prepareOperation(config, name, { ...params, idempotency_key }, options);
}
