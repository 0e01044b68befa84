import * as z from 'zod/mini';
import { once } from '../utils/functions.js';
import { idempotencyKey } from './field-rules.js';
import { type Operation, operations, type ParamsOf } from './operations.js';
import type { PurchaseParams } from './params.js';
import { type FieldErrors, readParams } from './read-params.js';
import { foreignBillerProblem, type Product, products } from './vocabulary.js';

type ItemOf<P extends Product> = {
  /** The product family to buy from. */
  readonly product: P;
  /** The parameters of `billpay[product].purchase`, without the key. */
  readonly params: Omit<ParamsOf<`${P}.purchase`>, 'idempotency_key'>;
  /** Your unique value for this purchase, such as the order's id, or the number of the row in a file that never changes. */
  readonly idempotency_key: string;
};

/** One purchase of any product. `product` decides which parameters it has. */
export type PurchaseItem = { [P in Product]: ItemOf<P> }[Product];

/** A checked copy of an item, or the problem of each wrong field. */
export type CheckedPurchaseItem =
  | { readonly ok: true; readonly item: PurchaseItem }
  | { readonly ok: false; readonly errors: FieldErrors };

const keySchema = once(() => z.strictObject({ idempotency_key: idempotencyKey() }));

/**
 * Reads an item once and checks it as its purchase would. The copy in the result is plain and out of the reach of accessors and later
 * changes: store and buy this copy, never the given object.
 */
export function checkPurchaseItem(given: unknown): CheckedPurchaseItem {
  const item = partsOf(given);
  if (!item) return refused({ item: 'must be an object: { product, params, idempotency_key }' });
  const product = products.find((name) => name === item.product);
  if (!product) return refused({ product: `must be one of ${products.join(', ')}` });
  const operation: Operation = operations[`${product}.purchase`];
  const params = readParams(operation.paramsSchema(), Object(item.params));
  const key = readParams(keySchema(), { idempotency_key: item.idempotency_key });
  if (!params.ok || !key.ok) {
    return refused({ ...(!params.ok && params.errors), ...(!key.ok && key.errors) });
  }
  // The schema of the product has checked the parameters.
  const { idempotency_key: _, ...fields } = params.params as PurchaseParams;
  const checked = { product, params: fields, ...key.params } as PurchaseItem;
  const biller = foreignBillerProblem(product, checked.params.biller);
  return biller === undefined ? { ok: true, item: checked } : refused({ biller });
}

/** What an item buys as text: the same for the same product and parameters, whatever the order of the fields. */
export function contentOf({ product, params }: Pick<PurchaseItem, 'product' | 'params'>): string {
  const fields = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([product, fields]);
}

const refused = (errors: FieldErrors): CheckedPurchaseItem => ({ ok: false, errors });

/** The parts of an item, each read once. Undefined for a value that has none, or whose accessors throw. */
function partsOf(given: unknown) {
  try {
    if (typeof given !== 'object' || given === null) return undefined;
    const { product, params, idempotency_key } = given as Partial<Record<string, unknown>>;
    return { product, params, idempotency_key };
  } catch {
    return undefined;
  }
}
