import { type CheckedPurchaseItem, checkPurchaseItem, contentOf } from '../contract/purchase-item.js';
import { type FieldErrors, textOfErrors } from '../contract/read-params.js';
import { ValidationError } from '../errors/api-errors.js';
import type { PlaceOptions } from './call-options.js';
import { nairaOf } from './decide.js';
import { DuplicateOrderError, OrderConflictError } from './errors.js';
import type { NewOrder, Order, OrderInput } from './order.js';
import { type OrdersRuntime, requestStep } from './runtime.js';

/** The longest id: every database can have an index of ids that long. */
const longestId = 255;

/** An order as it was read once: its checked copy, or the problem of each wrong field. */
export type ReadOrder =
  | { readonly ok: true; readonly order: Pick<NewOrder, 'id' | 'product' | 'params'> }
  | { readonly ok: false; readonly errors: FieldErrors };

/** Reads what is to be placed once. Only the copy may be used afterwards. */
export function readOrder(given: unknown): ReadOrder {
  const parts = partsOf(given);
  if (!parts) return { ok: false, errors: { order: 'must be an object: { id, product, params }' } };
  const { id: key, product, params } = parts;
  const checked = readStorableItem({ product, params, idempotency_key: key });
  if (checked.ok) {
    const { idempotency_key: id, ...item } = checked.item;
    return { ok: true, order: { id, ...item } };
  }
  const { idempotency_key: problem, ...errors } = checked.errors;
  return { ok: false, errors: problem === undefined ? errors : { id: problem, ...errors } };
}

/** Reads an item that is to be stored under its key once, and checks that every database can store it. */
export function readStorableItem(given: unknown): CheckedPurchaseItem {
  const checked = checkPurchaseItem(given);
  if (!checked.ok) return checked;
  const { idempotency_key, params } = checked.item;
  const errors = unstorable({ idempotency_key, ...params });
  const amount = 'amount' in params ? params.amount : undefined;
  if (amount !== undefined && nairaOf(amount) !== amount)
    errors['amount'] = 'must have at most two decimals, because the wallet holds kobo';
  if (idempotency_key.length > longestId)
    errors['idempotency_key'] = `must have at most ${longestId} characters; it has ${idempotency_key.length}`;
  return Object.keys(errors).length > 0 ? { ok: false, errors } : checked;
}

function partsOf(given: unknown) {
  try {
    if (typeof given !== 'object' || given === null) return undefined;
    const { id, product, params } = given as Partial<Record<string, unknown>>;
    return { id, product, params };
  } catch {
    return undefined;
  }
}

/** Texts that a database cannot store as they are. */
function unstorable(fields: Readonly<Record<string, unknown>>): FieldErrors {
  const wrong = Object.entries(fields).filter(
    ([, value]) => typeof value === 'string' && /[\0\ud800-\udfff]/u.test(value),
  );
  return Object.fromEntries(
    wrong.map(([name]) => [name, 'contains NUL or half a character, which cannot be stored']),
  );
}

/** An order as `place` returns it. */
export interface OrderPlaced extends Order {
  /** Whether this call stored it. False where the same order had been placed before: do not book its payment again. */
  readonly isNew: boolean;
}

/** Stores an order and asks for its first step. */
export async function placeOrder<Client>(
  runtime: OrdersRuntime<Client>,
  input: OrderInput,
  options: PlaceOptions<Client>,
): Promise<OrderPlaced> {
  const read = readOrder(input);
  if (!read.ok) {
    throw new ValidationError(`The order was not placed: ${textOfErrors(read.errors)}.`, {
      operation: 'orders.place',
      errors: read.errors,
    });
  }
  const { client, customer, allowDuplicate = false } = options;
  const { expireAfter = runtime.expireAfter, duplicateWithin = runtime.duplicateWithin } = options;
  const given: NewOrder = { ...read.order, customer, expireAfterMs: expireAfter };
  const { order, inserted, duplicate } = await runtime.store.insert(given, {
    client,
    duplicateWithinMs: allowDuplicate ? undefined : duplicateWithin,
  });
  if (duplicate) throw new DuplicateOrderError(given.id, order);
  if (!inserted && contentOf(order) !== contentOf(given)) throw new OrderConflictError(given.id);
  // In the caller's transaction a job that failed may have ended the transaction, so the caller must know.
  if (inserted && client) await runtime.queue.send('purchase', order.id, { client });
  else if (inserted) await requestStep(runtime, order);
  return { ...order, isNew: inserted };
}
