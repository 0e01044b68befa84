import { toKobo, toNaira } from '../../contract/money.js';
import { defaultQuantity, type MeterType, type Product } from '../../contract/vocabulary.js';
import { type Catalogue, hasCatalogue } from './catalogue.js';
import { failure, type HttpResponse } from './responses.js';

/** The checked fields of a purchase. */
export interface Order {
  readonly biller: string;
  readonly recipient: string;
  readonly idempotency_key: string;
  readonly product_code: string | undefined;
  readonly amount: number | undefined;
  readonly quantity: number;
  readonly meter_type: MeterType | undefined;
}

/** Fields of digits, which docs/service.md calls strings. A number there counts as its digits, because it does not say that one is refused. */
export const digitFields = ['recipient', 'customer_phone'] as const;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export function readOrder(params: Readonly<Record<string, unknown>>): Order {
  const meterType = params['meter_type'];
  return {
    biller: text(params['biller']),
    recipient: text(params['recipient']),
    idempotency_key: text(params['idempotency_key']),
    product_code: params['product_code'] === undefined ? undefined : text(params['product_code']),
    amount: number(params['amount']),
    quantity: number(params['quantity']) ?? defaultQuantity,
    meter_type: meterType === 'prepaid' || meterType === 'postpaid' ? meterType : undefined,
  };
}

/** The price of an order in NGN, or why it cannot be sold. */
export type Price =
  | { readonly ok: true; readonly amount: number }
  | { readonly ok: false; readonly response: HttpResponse };

/** The catalogue's price (times the quantity), or the face value where there is no catalogue. */
export function priceOf(order: Order, product: Product, catalogue: Catalogue): Price {
  if (!catalogue.serves(product, order.biller)) return { ok: false, response: unknownBiller(order.biller) };
  if (!hasCatalogue(product)) return { ok: true, amount: toNaira(toKobo(order.amount ?? 0)) };

  const code = order.product_code ?? '';
  const listed = catalogue.product(product, order.biller, code);
  if (!listed) {
    return {
      ok: false,
      response: failure(422, 'GATEWAY_ERROR', `Unknown product_code for this biller: ${code}.`),
    };
  }
  if (order.amount !== undefined && order.amount !== listed.amount) {
    return {
      ok: false,
      response: failure(422, 'AMOUNT_MISMATCH', `The listed price of ${code} is ${listed.amount} NGN.`),
    };
  }
  return { ok: true, amount: toNaira(toKobo(listed.amount) * order.quantity) };
}

export const unknownBiller = (biller: string): HttpResponse =>
  failure(422, 'GATEWAY_ERROR', `This biller is not configured: ${biller}.`);
