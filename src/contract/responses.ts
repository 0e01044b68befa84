import * as z from 'zod/mini';
import { once } from '../utils/functions.js';
import type { Open, TransactionStatus } from './vocabulary.js';

/** One field in which the service's response differs from what was asked. */
export interface PurchaseDifference {
  /** The parameter's name. */
  readonly field: 'biller' | 'recipient' | 'amount';
  /** What the call asked for. */
  readonly asked: unknown;
  /** What the response says. */
  readonly echoed: unknown;
}

/** An accepted purchase: the wallet has been debited, delivery follows. */
export interface Purchase {
  /** The service's own reference, for `transactions.status` and in the webhook. It is not the idempotency_key. */
  reference: string;
  /** `pending` on acceptance. The response to a repeated key may already hold a later state. */
  status: TransactionStatus;
  /** The idempotency key of this purchase, yours or one created for the call. The same key never buys twice. */
  idempotency_key: string;
  /** The recipient, as the service repeats it. */
  recipient: string;
  /** The biller, as the service repeats it. */
  biller: string;
  /** The amount charged, in NGN: the listed price for catalogue products, price times quantity for education. */
  amount: number;
  /** `API_GATEWAY`. */
  channel: Open<'API_GATEWAY'>;
  /** `NGN`. */
  currency: Open<'NGN'>;
  /** `YYYY-MM-DD HH:MM:SS`, without a time zone: a string, not a Date. */
  created_at: string;
  /**
   * Where the response differs from what was asked, within the room that the service's documentation leaves: an `amount` that is lower or higher
   * by at most a tenth and at most 150 NGN (commission, a fee, rounding to a whole NGN), a masked recipient, another name of the biller.
   * Absent where nothing differs, and where you passed no `idempotency_key`: a key made for the call cannot have been used before.
   */
  differences?: readonly PurchaseDifference[] | undefined;
}

/** What is known of a purchase that the service accepted in a response that cannot be used. */
export type AcceptedPurchase = Pick<Purchase, 'reference' | 'idempotency_key'>;

/** One product of a catalogue. */
export interface CatalogueProduct {
  /** The `product_code` for `purchase`. */
  product_code: string;
  /** The product's name, to show to customers. */
  name: string;
  /** The listed price in NGN. */
  amount: number;
}

/** The products of a biller with their prices. */
export interface Catalogue {
  /** The biller of the products. */
  biller: string;
  /** The products. */
  products: CatalogueProduct[];
}

/** The customer that a smartcard, a meter or a profile belongs to. */
export interface ValidateResult {
  /** The name of the registered customer. Show it before selling. */
  customer_name: string;
  /** The supply address; electricity only. */
  address?: string | undefined;
}

/** A transaction, as the status check returns it. */
export interface Transaction {
  /** The service's reference. */
  reference: string;
  /** `pending`, `success` or `failed`; the last two are final. Deliver on `success`, refund your customer on `failed` only. */
  transaction_status: TransactionStatus;
  /** Alias of `amount_charged`, in NGN. */
  amount: number;
  /** The amount debited from the wallet, in NGN. */
  amount_charged: number;
  /** The price of the product before commission, in NGN. */
  service_amount: number;
  /** The commission earned, in NGN. */
  commission: number;
  /** Alias of `commission`, in NGN. */
  commission_received: number;
  /** `VTU_AIRTIME` for airtime; other values are not documented. */
  service_type: Open<'VTU_AIRTIME'>;
  /** The company that was paid. */
  biller: string;
  /** Deprecated alias of `biller`; a future version may remove it. */
  network?: string | undefined;
  /**
   * The delivered token or PIN (electricity, education), unchanged from the service. Null for other products and until
   * success. Whoever reads it can use it: never log it.
   */
  token: string | null;
  /** `YYYY-MM-DD HH:MM:SS`, without a time zone. */
  created_at: string;
  /** `YYYY-MM-DD HH:MM:SS`, without a time zone. */
  updated_at: string;
  /** True once the wallet has been credited back for a failed transaction. */
  refunded: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, without a time zone; present once the transaction has settled. */
  completed_at?: string | undefined;
}

/** A transaction in one of its two final states. `failed` is a result, not an error: the wallet is credited back. */
export interface SettledTransaction extends Transaction {
  /** `success`: give value. `failed`: refund your customer. */
  transaction_status: 'success' | 'failed';
  /** `YYYY-MM-DD HH:MM:SS`, without a time zone. */
  completed_at: string;
}

/** Whether a transaction has reached `success` or `failed`. Any other status is unknown, never failed. */
export const isSettled = (transaction: Transaction): transaction is SettledTransaction =>
  transaction.transaction_status === 'success' || transaction.transaction_status === 'failed';

/** A webhook subscription, with the secret that is returned only once. */
export interface WebhookSubscription {
  /** The address for deliveries. */
  url: string;
  /** Begins with `whsec_`. It is returned only now: store it before you do anything else. */
  secret: string;
  /** Whether deliveries are enabled. */
  enabled: boolean;
  /** `v1`. */
  signature_version: Open<'v1'>;
}

/** The body of a 202 response: the envelope around an accepted purchase. */
export interface AcceptanceEnvelope {
  status: TransactionStatus;
  code: string;
  message: string;
  data: Omit<Purchase, 'status' | 'idempotency_key' | 'differences'>;
}

/** The body of a catalogue or validate response: the result's own fields beside the status. */
export type FlatEnvelope<Result> = Result & { status: string };

/** The body of a status or subscription response. */
export interface DataEnvelope<Result> {
  status: string;
  data: Result;
}

/** Text that a caller cannot do without. */
const filledText = () => z.string().check(z.minLength(1));

/** The schema of an envelope, made when it is first needed. Fields that are not documented are kept. */
// @__NO_SIDE_EFFECTS__
function envelope<const Shape extends z.core.$ZodLooseShape>(shapeOf: () => Shape) {
  return once(() => z.looseObject({ status: z.string(), ...shapeOf() }));
}

export const acceptanceEnvelope = envelope(() => ({
  code: z.string(),
  message: z.string(),
  data: z.looseObject({
    reference: filledText(),
    recipient: z.string(),
    biller: z.string(),
    amount: z.number(),
    channel: z.string(),
    currency: z.string(),
    created_at: z.string(),
  }),
}));

export const catalogueEnvelope = envelope(() => ({
  biller: z.string(),
  products: z.array(z.looseObject({ product_code: filledText(), name: z.string(), amount: z.number() })),
}));

export const validateEnvelope = envelope(() => ({
  customer_name: z.string(),
  address: z.optional(z.string()),
}));

/** A validate response for electricity, which documents the address too. */
export const electricityValidateEnvelope = envelope(() => ({
  customer_name: z.string(),
  address: z.string(),
}));

export const transactionEnvelope = envelope(() => ({
  data: z.looseObject({
    reference: z.string(),
    transaction_status: filledText(),
    amount: z.number(),
    amount_charged: z.number(),
    service_amount: z.number(),
    commission: z.number(),
    commission_received: z.number(),
    service_type: z.string(),
    biller: z.string(),
    network: z.optional(z.string()),
    token: z.nullable(z.string()),
    created_at: z.string(),
    updated_at: z.string(),
    refunded: z.boolean(),
    completed_at: z.optional(z.string()),
  }),
}));

export const subscriptionEnvelope = envelope(() => ({
  data: z.looseObject({
    url: z.string(),
    secret: filledText(),
    enabled: z.boolean(),
    signature_version: z.string(),
  }),
}));
