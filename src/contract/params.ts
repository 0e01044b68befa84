import * as z from 'zod/mini';
import { once } from '../utils/functions.js';
import {
  amount,
  biller,
  boolean,
  idempotencyKey,
  identifier,
  meterType,
  productCode,
  quantity,
  url,
} from './field-rules.js';
import type { EduBiller, ElectricityBiller, MeterType, NetworkBiller, TvBiller } from './vocabulary.js';

/** The parameter that all purchases have in common. */
export interface PurchaseParams {
  /**
   * Your unique value for this purchase, such as the order's id. **Store it before the call.** For a repeated key the service
   * returns the original transaction and does not charge again, so after a timeout repeat the same call with the
   * same key. When it is left out, the SDK creates a UUID for the call and adds it to the result and to every error.
   */
  idempotency_key?: string;
}

/** `airtime.purchase` (POST /airtime/purchase). */
export interface AirtimePurchaseParams extends PurchaseParams {
  /** The network: MTN, AIRTEL, GLO or 9MOBILE, any case. */
  biller: NetworkBiller;
  /** The phone number to top up, as a string: a number would lose its leading zero. */
  recipient: string;
  /** The face value, in NGN, at least 0.01. */
  amount: number;
}

/** `data.purchase` (POST /data/purchase). */
export interface DataPurchaseParams extends PurchaseParams {
  /** The network: MTN, AIRTEL, GLO or 9MOBILE, any case. */
  biller: NetworkBiller;
  /** The phone number that gets the bundle, as a string. */
  recipient: string;
  /** From this biller's `data.products`. The price is the one in the catalogue. */
  product_code: string;
  /** Optional check, in NGN: when it differs from the listed price, the call fails with `AmountMismatchError` and charges nothing. */
  amount?: number | undefined;
}

/** `tv.purchase` (POST /tv/purchase). */
export interface TvPurchaseParams extends PurchaseParams {
  /** The cable TV company: DSTV, GOTV or STARTIMES, any case. */
  biller: TvBiller;
  /** The smartcard or IUC number, as a string. */
  recipient: string;
  /** From this biller's `tv.products`. The price is the one in the catalogue. */
  product_code: string;
  /** Optional check, in NGN: when it differs from the listed price, the call fails with `AmountMismatchError` and charges nothing. */
  amount?: number | undefined;
  /** The end customer's phone number, for delivery notifications (recommended). */
  customer_phone?: string | undefined;
}

/** `electricity.purchase` (POST /electricity/purchase). */
export interface ElectricityPurchaseParams extends PurchaseParams {
  /** The distribution company: IKEDC, EKEDC or AEDC, any case. */
  biller: ElectricityBiller;
  /** The meter number, as a string. */
  recipient: string;
  /** `prepaid` or `postpaid`. */
  meter_type: MeterType;
  /** The value to deliver, in NGN, at least 0.01. */
  amount: number;
  /** The end customer's phone number, for delivery notifications (recommended). */
  customer_phone?: string | undefined;
}

/** `edu.purchase` (POST /edu/purchase). */
export interface EduPurchaseParams extends PurchaseParams {
  /** The examination body: WAEC, NECO, NABTEB or JAMB, any case. */
  biller: EduBiller;
  /** The candidate's profile ID; for WAEC the phone number instead. A string. */
  recipient: string;
  /** From this biller's `edu.products`. */
  product_code: string;
  /** The number of PINs, a whole number of at least 1 (default 1). The charge is the price times this number. */
  quantity?: number | undefined;
  /** The end customer's phone number, for delivery notifications (recommended). */
  customer_phone?: string | undefined;
}

/** `data.products` (GET /data/products). */
export type DataProductsParams = Pick<DataPurchaseParams, 'biller'>;

/** `tv.products` (GET /tv/products). */
export type TvProductsParams = Pick<TvPurchaseParams, 'biller'>;

/** `edu.products` (GET /edu/products). */
export type EduProductsParams = Pick<EduPurchaseParams, 'biller'>;

/** `tv.validate` (POST /tv/validate). */
export type TvValidateParams = Pick<TvPurchaseParams, 'biller' | 'recipient'>;

/** `electricity.validate` (POST /electricity/validate). */
export type ElectricityValidateParams = Pick<
  ElectricityPurchaseParams,
  'biller' | 'recipient' | 'meter_type'
>;

/** `edu.validate` (POST /edu/validate). */
export interface EduValidateParams {
  /** The examination body: WAEC, NECO, NABTEB or JAMB, any case. */
  biller: EduBiller;
  /** The candidate's profile ID, as a string. */
  recipient: string;
}

/** `transactions.status` (GET /transactions/status). */
export interface TransactionStatusParams {
  /** The reference of the transaction, from `purchase.reference`. */
  reference: string;
}

/** `webhooks.subscribe` (POST /webhooks/subscribe). */
export interface WebhookSubscribeParams {
  /** The address for deliveries: https (http on loopback hosts only), at most 2048 characters. */
  url: string;
  /** Whether deliveries are enabled from the start (default true). */
  enabled?: boolean | undefined;
}

const phone = () => identifier('phone number', '08031234567');
const card = () => ({ biller: biller('DSTV'), recipient: identifier('smartcard number', '02110144711') });
const meter = () => ({
  biller: biller('IKEDC'),
  recipient: identifier('meter number', '0124000952992'),
  meter_type: meterType(),
});

/** A schema of parameters, made when it is first needed. */
// @__NO_SIDE_EFFECTS__
function fields<const Shape extends z.core.$ZodLooseShape>(shapeOf: () => Shape) {
  return once(() => z.strictObject(shapeOf()));
}

export const airtimePurchaseParams = fields(() => ({
  biller: biller('MTN'),
  recipient: phone(),
  amount: amount(),
  idempotency_key: idempotencyKey(),
}));

export const dataPurchaseParams = fields(() => ({
  biller: biller('MTN'),
  recipient: phone(),
  product_code: productCode(),
  amount: z.optional(amount()),
  idempotency_key: idempotencyKey(),
}));

export const tvPurchaseParams = fields(() => ({
  ...card(),
  product_code: productCode(),
  amount: z.optional(amount()),
  customer_phone: z.optional(phone()),
  idempotency_key: idempotencyKey(),
}));

export const electricityPurchaseParams = fields(() => ({
  ...meter(),
  amount: amount(),
  customer_phone: z.optional(phone()),
  idempotency_key: idempotencyKey(),
}));

export const eduPurchaseParams = fields(() => ({
  biller: biller('WAEC'),
  recipient: identifier('profile ID (for WAEC: phone number)', '0123456789'),
  product_code: productCode(),
  quantity: z.optional(quantity()),
  customer_phone: z.optional(phone()),
  idempotency_key: idempotencyKey(),
}));

export const dataProductsParams = fields(() => ({ biller: biller('MTN') }));
export const tvProductsParams = fields(() => ({ biller: biller('DSTV') }));
export const eduProductsParams = fields(() => ({ biller: biller('WAEC') }));
export const tvValidateParams = fields(card);
export const electricityValidateParams = fields(meter);
export const eduValidateParams = fields(() => ({
  biller: biller('WAEC'),
  recipient: identifier('profile ID', '0123456789'),
}));

export const transactionStatusParams = fields(() => ({
  reference: identifier('reference', 'TXN-20260101-000001'),
}));

export const webhookSubscribeParams = fields(() => ({ url: url(), enabled: z.optional(boolean()) }));
