import { yesOrNo } from './field-rules.js';
import { lazily } from './lazily.js';
import { array, custom, filledText, number, object, optional, text } from './schema.js';
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

export const acceptanceEnvelope = lazily(() =>
  object({
    status: text<TransactionStatus>(),
    code: text(),
    message: text(),
    data: object({
      reference: filledText(),
      recipient: text(),
      biller: text(),
      amount: number(),
      channel: text(),
      currency: text(),
      created_at: text(),
    }),
  }),
);

export const catalogueEnvelope = lazily(() =>
  object({
    status: text(),
    biller: text(),
    products: array(object({ product_code: filledText(), name: text(), amount: number() })),
  }),
);

export const validateEnvelope = lazily(() =>
  object({
    status: text(),
    customer_name: text(),
    address: optional(text()),
  }),
);

/** As `validateEnvelope`; electricity documents the address too. */
export const electricityValidateEnvelope = lazily(() =>
  object({ status: text(), customer_name: text(), address: text() }),
);

export const transactionEnvelope = lazily(() =>
  object({
    status: text(),
    data: object({
      reference: text(),
      transaction_status: filledText<TransactionStatus>(),
      amount: number(),
      amount_charged: number(),
      service_amount: number(),
      commission: number(),
      commission_received: number(),
      service_type: text(),
      biller: text(),
      network: optional(text()),
      token: custom<string | null>((value) =>
        value === null || typeof value === 'string' ? undefined : 'is neither text nor null',
      ),
      created_at: text(),
      updated_at: text(),
      refunded: yesOrNo(),
      completed_at: optional(text()),
    }),
  }),
);

export const subscriptionEnvelope = lazily(() =>
  object({
    status: text(),
    data: object({
      url: text(),
      secret: filledText(),
      enabled: yesOrNo(),
      signature_version: text(),
    }),
  }),
);
