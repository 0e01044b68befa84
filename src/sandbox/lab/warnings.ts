import { toKobo, toNaira } from '../../contract/money.js';
import { nearestName } from '../../utils/nearest.js';
import type { PayloadDifference, SandboxWarning } from '../records/objects.js';
import { digitFields } from '../service/admission.js';
import type { Subscription } from '../service/clients.js';
import type { Order } from '../service/purchase.js';
import type { ParsedRequest, Route } from '../service/request.js';
import type { Transaction } from '../service/transactions.js';

/** Fields of every call, beside those of its parameters. */
const commonFields = ['client_id', 'idempotency_key'];

/** Of a body with thousands of fields, only the first are looked at. */
const maxFields = 50;

/** What can be seen from the request alone. */
export function requestWarnings({ method, headers, route, fields }: ParsedRequest): SandboxWarning[] {
  const warnings: SandboxWarning[] = [];
  if (!route || !fields || method !== route.operation.method) return warnings;
  const contentType = method === 'POST' ? contentTypeWarning(headers['content-type']) : undefined;
  if (contentType) warnings.push(contentType);
  for (const name of Object.keys(fields).slice(0, maxFields)) {
    if (!route.fields.includes(name) && !commonFields.includes(name))
      warnings.push(unknownField(name, route));
  }
  for (const name of digitFields) {
    if (typeof fields[name] !== 'number' || !route.fields.includes(name)) continue;
    warnings.push({
      code: name === 'recipient' ? 'numeric-recipient' : 'numeric-customer-phone',
      message: `${name} is a number, which loses leading zeros: send it as a string`,
    });
  }
  return warnings;
}

/** `fetch` declares a text as text/plain by itself: that is the same forgotten header. */
function contentTypeWarning(type: string | undefined): SandboxWarning | undefined {
  if (type === undefined) {
    return {
      code: 'content-type-missing',
      message: 'Content-Type is missing: send application/json with every body',
    };
  }
  if (/^application\/json\s*(;|$)/i.test(type.trim())) return undefined;
  return {
    code: 'content-type-not-json',
    message: 'Content-Type is not application/json: send that with every body',
  };
}

function unknownField(name: string, { fields }: Route): SandboxWarning {
  const nearest = nearestName(name, [...fields, ...commonFields]);
  const shown = name.length > 40 ? `${name.slice(0, 39)}…` : name;
  return {
    code: 'unknown-field',
    message: `${shown} is not a field of this call and was ignored${nearest ? `: did you mean ${nearest}?` : ''}`,
  };
}

/** What can be seen from a new purchase and the receiver of its client's webhooks. */
export function purchaseWarnings(
  receiver: Subscription | undefined,
  route: Route,
  order: Order,
): SandboxWarning[] {
  const warnings: SandboxWarning[] = [];
  if (!receiver?.enabled) {
    warnings.push({
      code: 'no-webhook-subscription',
      message: 'this client has no webhook subscription, so it is not notified of the settlement',
    });
  }
  const hasPriceGuard = route.fields.includes('amount') && order.product_code !== undefined;
  if (hasPriceGuard && order.amount === undefined) {
    warnings.push({
      code: 'no-price-guard',
      message:
        'amount is left out: send the listed price, so that a changed price is refused and not charged',
    });
  }
  return warnings;
}

/** What can be seen from a repeat of a key that is not a repeat of its purchase. */
export function repeatWarnings(original: Transaction, route: Route, order: Order): SandboxWarning[] {
  const differences = payloadDifferences(original, route, order);
  if (differences.length === 0) return [];
  const names = differences.map(({ field }) => field).join(' and ');
  return [
    {
      code: 'key-repeated-with-other-payload',
      message: `key repeated with a different ${names}: the original was returned, nothing new was bought`,
      differences,
    },
  ];
}

function payloadDifferences(original: Transaction, route: Route, order: Order): PayloadDifference[] {
  const pairs: readonly PayloadDifference[] = [
    { field: 'call', original: original.operation, repeated: route.name },
    { field: 'biller', original: original.biller, repeated: order.biller },
    { field: 'recipient', original: original.recipient, repeated: order.recipient },
    { field: 'product_code', original: original.product_code, repeated: order.product_code },
    { field: 'quantity', original: original.quantity, repeated: order.quantity },
    { field: 'meter_type', original: original.meter_type, repeated: order.meter_type },
  ];
  const differences = pairs.filter(
    ({ field, original: first, repeated }) =>
      first !== repeated &&
      !(field === 'biller' && String(first).toUpperCase() === String(repeated).toUpperCase()),
  );
  // The price guard of a catalogue product is a unit price.
  const unitPrice = toNaira(toKobo(original.amount) / original.quantity);
  if (order.amount !== undefined && toKobo(order.amount) !== toKobo(unitPrice)) {
    differences.push({ field: 'amount', original: unitPrice, repeated: order.amount });
  }
  return differences;
}
