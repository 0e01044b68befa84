import * as z from 'zod/mini';
import type { Open, TransactionStatus } from './vocabulary.js';

/** An accepted purchase: the wallet is debited, delivery follows. */
export interface Purchase {
  /** The service's own reference: for `transactions.status`, and in the webhook. Not the idempotency_key. */
  reference: string;
  /** `pending` on acceptance. A replay of an older key may already tell a later state. */
  status: TransactionStatus;
  /** The key that this sale was bought under, given or made. The same key again never buys twice. */
  idempotency_key: string;
  /** Echo of the recipient. */
  recipient: string;
  /** Echo of the biller. */
  biller: string;
  /** What was charged, in NGN: the listed price for catalogue products, price times quantity for education. */
  amount: number;
  /** `API_GATEWAY`. */
  channel: Open<'API_GATEWAY'>;
  /** `NGN`. */
  currency: Open<'NGN'>;
  /** `YYYY-MM-DD HH:MM:SS`, without a zone: text, not a Date. */
  created_at: string;
}

/** One product of a catalogue. */
export interface CatalogueProduct {
  /** What `purchase` takes as `product_code`. */
  product_code: string;
  /** For people. */
  name: string;
  /** The listed price in NGN. */
  amount: number;
}

/** A biller's products with their prices. */
export interface Catalogue {
  /** The biller whose list this is. */
  biller: string;
  /** Its products. */
  products: CatalogueProduct[];
}

/** Who stands behind a smartcard, a meter or a profile. */
export interface ValidateResult {
  /** The registered customer's name: show it before selling. */
  customer_name: string;
  /** The supply address; electricity only. */
  address?: string | undefined;
}

/** One transaction, as the status lookup tells it. */
export interface Transaction {
  /** The service's reference. */
  reference: string;
  /** `pending`, `success` or `failed`; the last two are final. Give value on `success`, refund on `failed` only. */
  transaction_status: TransactionStatus;
  /** Alias of `amount_charged`, in NGN. */
  amount: number;
  /** What left the wallet, in NGN. */
  amount_charged: number;
  /** The product's price before commission, in NGN. */
  service_amount: number;
  /** The commission earned, in NGN. */
  commission: number;
  /** Alias of `commission`, in NGN. */
  commission_received: number;
  /** `VTU_AIRTIME` for airtime; other values are not documented. */
  service_type: Open<'VTU_AIRTIME'>;
  /** The party paid. */
  biller: string;
  /** Deprecated alias of `biller`; may go in a future version. */
  network?: string | undefined;
  /**
   * The delivered token or PIN (electricity, education), raw as the service gives it. Null for other products and
   * until success. Worth money to whoever reads it: never log it.
   */
  token: string | null;
  /** `YYYY-MM-DD HH:MM:SS`, without a zone. */
  created_at: string;
  /** `YYYY-MM-DD HH:MM:SS`, without a zone. */
  updated_at: string;
  /** True once a failed transaction has been credited back. */
  refunded: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, without a zone; present only once settled. */
  completed_at?: string | undefined;
}

/** A transaction in one of its two final states. `failed` is a result, not an error: the wallet is credited back. */
export interface SettledTransaction extends Transaction {
  /** `success`: give value. `failed`: refund your customer. */
  transaction_status: 'success' | 'failed';
  /** `YYYY-MM-DD HH:MM:SS`, without a zone. */
  completed_at: string;
}

/** Whether a transaction has reached `success` or `failed`. Any other status is unknown, never failed. */
export const isSettled = (transaction: Transaction): transaction is SettledTransaction =>
  transaction.transaction_status === 'success' || transaction.transaction_status === 'failed';

/** The webhook subscription, with the secret that is shown only this once. */
export interface WebhookSubscription {
  /** Where deliveries go. */
  url: string;
  /** Begins `whsec_`. Returned only now: store it before anything else. */
  secret: string;
  /** Whether deliveries are on. */
  enabled: boolean;
  /** `v1`. */
  signature_version: Open<'v1'>;
}

/** The body of a 202: the envelope around an accepted purchase. */
export interface AcceptanceEnvelope {
  status: TransactionStatus;
  code: string;
  message: string;
  data: Omit<Purchase, 'status' | 'idempotency_key'>;
}

/** The body of a catalogue call. */
export interface CatalogueEnvelope extends Catalogue {
  status: string;
}

/** The body of a validate call. */
export interface ValidateEnvelope extends ValidateResult {
  status: string;
}

/** The body of a status lookup. */
export interface TransactionEnvelope {
  status: string;
  data: Transaction;
}

/** The body of a webhook subscription. */
export interface SubscriptionEnvelope {
  status: string;
  data: WebhookSubscription;
}

/** Text that a caller cannot do without. */
const filledText = () => z.string().check(z.minLength(1));

/** Types any text as a state of a transaction: states that are not documented are passed through. */
const asStatus = (schema: z.ZodMiniString<string>) => schema as z.ZodMiniType<TransactionStatus, string>;

export const acceptanceEnvelope = z.looseObject({
  status: asStatus(z.string()),
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
});

export const catalogueEnvelope = z.looseObject({
  status: z.string(),
  biller: z.string(),
  products: z.array(z.looseObject({ product_code: filledText(), name: z.string(), amount: z.number() })),
});

export const validateEnvelope = z.looseObject({
  status: z.string(),
  customer_name: z.string(),
  address: z.optional(z.string()),
});

/** As `validateEnvelope`; electricity documents the address too. */
export const electricityValidateEnvelope = z.looseObject({
  status: z.string(),
  customer_name: z.string(),
  address: z.string(),
});

export const transactionEnvelope = z.looseObject({
  status: z.string(),
  data: z.looseObject({
    reference: z.string(),
    transaction_status: asStatus(filledText()),
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
});

export const subscriptionEnvelope = z.looseObject({
  status: z.string(),
  data: z.looseObject({
    url: z.string(),
    secret: filledText(),
    enabled: z.boolean(),
    signature_version: z.string(),
  }),
});
