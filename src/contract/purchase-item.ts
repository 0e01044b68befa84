import { type Operation, operations, type ParamsOf } from './operations.js';
import { type FieldErrors, validateParams } from './validate-params.js';
import { type Product, products } from './vocabulary.js';

type ItemOf<P extends Product> = {
  /** The product family to buy from. */
  readonly product: P;
  /** The parameters of `billpay[product].purchase`, without the key. */
  readonly params: Omit<ParamsOf<`${P}.purchase`>, 'idempotency_key'>;
  /** Your unique value for this sale, such as the order's id, or the number of the row in a file that never changes. */
  readonly idempotency_key: string;
};

/** One purchase of any product. `product` decides which parameters it has. */
export type PurchaseItem = { [P in Product]: ItemOf<P> }[Product];

/** A checked copy of an item, or the problem of each wrong field. */
export type CheckedPurchaseItem =
  | { readonly ok: true; readonly item: PurchaseItem }
  | { readonly ok: false; readonly errors: FieldErrors };

/** Checks an item as its purchase would. The copy in the result is out of the reach of accessors and later changes. */
export function checkPurchaseItem(given: unknown): CheckedPurchaseItem {
  const item = copyOf(given);
  if (!item) return refused({ item: 'must be an object: { product, params, idempotency_key }' });
  const { product, params, idempotency_key } = item;
  const known = products.find((name) => name === product);
  if (!known) return refused({ product: `must be one of ${products.join(', ')}` });
  const operation: Operation = operations[`${known}.purchase`];
  const checked = validateParams(operation.paramsSchema, { ...params, idempotency_key });
  // The schema of the product has checked the parameters.
  return checked.ok ? { ok: true, item: item as PurchaseItem } : refused(checked.errors);
}

/** What an item buys as text: the same for the same product and parameters, whatever the order of the fields. */
export function contentOf({ product, params }: Pick<PurchaseItem, 'product' | 'params'>): string {
  const fields = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([product, fields]);
}

/** The problem of each wrong field of an item, or undefined. */
export function purchaseItemErrors(given: unknown): FieldErrors | undefined {
  const checked = checkPurchaseItem(given);
  return checked.ok ? undefined : checked.errors;
}

const refused = (errors: FieldErrors): CheckedPurchaseItem => ({ ok: false, errors });

/** The fields of an item, each read once. Undefined for a value that has none, or whose accessors throw. */
function copyOf(given: unknown) {
  try {
    if (typeof given !== 'object' || given === null) return undefined;
    const { product, params, idempotency_key } = given as Partial<Record<string, unknown>>;
    return { product, params: { ...Object(params) } as object, idempotency_key };
  } catch {
    return undefined;
  }
}
