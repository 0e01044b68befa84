import { rateLimits as documented } from '../../contract/limits.js';
import { toKobo, toNaira } from '../../contract/money.js';
import { nearestName } from '../../utils/nearest.js';
import type { Subscription } from '../rules/clients.js';
import type { Order } from '../rules/order.js';
import type { ParsedRequest } from '../rules/parse-request.js';
import type { RateLimiter } from '../rules/rate-limits.js';
import type { Route } from '../rules/routes.js';
import type { Transaction } from '../rules/transactions.js';

/** Mistakes that the service's documents do not refuse. The sandbox serves such a request and reports the mistake. */
export type WarningCode =
  | 'content-type-missing'
  | 'content-type-not-json'
  | 'unknown-field'
  | 'numeric-recipient'
  | 'numeric-customer-phone'
  | 'key-repeated-with-other-payload'
  | 'no-webhook-subscription'
  | 'no-price-guard'
  | 'polling-too-fast';

/** A field of a repeated key whose value is not the one that was bought. */
export interface PayloadDifference {
  /** The field's name, such as `recipient`. */
  readonly field: string;
  /** The value of the purchase that was made under this key. */
  readonly original: string | number | undefined;
  /** The value of this request. */
  readonly repeated: string | number | undefined;
}

/** A mistake in a request that was served nevertheless. */
export interface SandboxWarning {
  /** The kind of mistake. */
  readonly code: WarningCode;
  /** The problem and its remedy in one sentence, without values of the request. */
  readonly message: string;
  /** `key-repeated-with-other-payload` only: each field that differs, with both values. */
  readonly differences?: readonly PayloadDifference[];
}

/** Fields of every call, beside those of its parameters. */
const commonFields = ['client_id', 'idempotency_key'];

/** Fields of digits, which docs/service.md calls strings. A number there counts as its digits, because it does not say that one is refused. */
export const digitFields = ['recipient', 'customer_phone'] as const;

/** Of a body with thousands of fields, only the first are looked at. */
const maxFields = 50;

const { limit, windowSeconds } = documented.ip;

const pollingTooFast: SandboxWarning = {
  code: 'polling-too-fast',
  message: `more than ${limit} status look-ups in ${windowSeconds} seconds from one address: the service refuses them with 429; use the webhook, or poll at growing intervals`,
};

/**
 * What can be seen from the request alone.
 *
 * @param counter - counts the status look-ups of each address; undefined where the sandbox itself limits them.
 */
export function requestWarnings(
  request: ParsedRequest,
  now: number,
  counter: RateLimiter | undefined,
): readonly SandboxWarning[] {
  const { http, route, fields } = request;
  const warnings: SandboxWarning[] = [];
  if (request.operation === 'transactions.status') {
    const wait = counter?.admit([{ key: `polling/${request.ip}`, limit }], now) ?? 0;
    if (wait > 0) warnings.push(pollingTooFast);
  }
  if (!route || !fields || http.method !== route.operation.method) return warnings;
  const contentType = http.method === 'POST' ? contentTypeWarning(http.headers['content-type']) : undefined;
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

/** A repeat of a key that is not a repeat of its purchase; undefined where both are the same. */
export function repeatWarning(original: Transaction, route: Route, order: Order): SandboxWarning | undefined {
  const differences = payloadDifferences(original, route, order);
  if (differences.length === 0) return undefined;
  const names = differences.map(({ field }) => field).join(' and ');
  return {
    code: 'key-repeated-with-other-payload',
    message: `key repeated with a different ${names}: the original was returned, nothing new was bought`,
    differences,
  };
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
