import type { OperationName } from '../../contract/operations.js';
import type { MeterType, Product } from '../../contract/vocabulary.js';
import type { Duration } from '../schemas/fields.js';

/** What the sandbox holds and shows: the same objects in code, over HTTP, on the page and in the terminal. */

/** A purchase that was accepted, as `sandbox.transactions` shows it. A live view: its state changes as it settles. */
export interface SandboxTransaction {
  /** The service's reference, `TXN-…`. */
  readonly reference: string;
  /** The client that bought. */
  readonly clientId: string;
  /** The operation that created it, such as `airtime.purchase`. */
  readonly operation: OperationName;
  /** The product family. */
  readonly product: Product;
  /** The biller as the request spelled it. */
  readonly biller: string;
  /** Phone, smartcard, meter or profile. */
  readonly recipient: string;
  /** The catalogue product bought; undefined for airtime and electricity. */
  readonly product_code: string | undefined;
  /** How many PINs; 1 for everything but education. */
  readonly quantity: number;
  /** Electricity only. */
  readonly meter_type: MeterType | undefined;
  /** The key it was bought under. */
  readonly idempotency_key: string;
  /** The amount charged, in NGN. */
  readonly amount: number;
  /** `pending`, `success` or `failed`; the last two are final. */
  readonly status: 'pending' | 'success' | 'failed';
  /** The delivered token or PINs; null until success, and for products without. */
  readonly token: string | null;
  /** Whether the wallet was credited back. */
  readonly refunded: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly created_at: string;
  /** `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly updated_at: string;
  /** `YYYY-MM-DD HH:MM:SS`, UTC; undefined while pending. */
  readonly completed_at: string | undefined;
  /** The exact time of `created_at`, by the sandbox's clock. */
  readonly acceptedAt: Date;
  /** The exact time of `completed_at`, by the sandbox's clock. */
  readonly settledAt: Date | undefined;
  /** When it settles on its own; undefined once it is final, and when only `settle` ends it. */
  readonly settlesAt: Date | undefined;
}

/** One line of a wallet's ledger. */
export interface LedgerEntry {
  /** `funding` and `refund` add to the balance, `debit` takes from it. */
  readonly kind: 'funding' | 'debit' | 'refund';
  /** NGN, always positive. */
  readonly amount: number;
  /** The balance after this entry, in NGN. */
  readonly balance: number;
  /** The idempotency_key of the purchase; undefined for funding. */
  readonly idempotency_key: string | undefined;
  /** The transaction's reference; undefined for funding. */
  readonly reference: string | undefined;
  /** When, by the sandbox's clock. */
  readonly at: Date;
}

/** A client's prepaid wallet, as `sandbox.wallet()` shows it. A live view: read it again after each call. */
export interface SandboxWallet {
  /** Whose it is. */
  readonly clientId: string;
  /** The balance, in NGN. */
  readonly balance: number;
  /** Every movement, oldest first. */
  readonly ledger: readonly LedgerEntry[];
}

/**
 * One thing to go wrong. Without matchers it applies to the next request of any kind.
 *
 * @example
 * ```ts
 * sandbox.faults.add({ operation: 'airtime.purchase', when: 'after', connection: 'close' }); // debited, response lost
 * sandbox.faults.add({ status: 429, retryAfter: 2, times: 3 });
 * ```
 */
export interface FaultOptions {
  /** Only these calls, such as `'airtime.purchase'` (default: any request). */
  readonly operation?: OperationName | readonly OperationName[];
  /** Only this recipient (default: any). */
  readonly recipient?: string;
  /** Only this client (default: any). */
  readonly clientId?: string;
  /** How many requests it applies to; `'always'` until it is removed (default 1). */
  readonly times?: number | 'always';
  /** Whether it strikes before the request is processed, so that nothing happens, or after (default `'before'`). */
  readonly when?: 'before' | 'after';
  /** Delays the request: ms or a text such as `'3s'`. Alone, the request is then served as usual. */
  readonly delay?: Duration;
  /** Responds with this HTTP status instead of the service's response. */
  readonly status?: number;
  /** The error envelope's `code` (default: the first that is documented for the status). */
  readonly code?: string;
  /** The error envelope's `message`. */
  readonly message?: string;
  /** The body instead: an object is sent as JSON, text unchanged (as HTML if it begins with `<`). */
  readonly body?: string | Readonly<Record<string, unknown>> | readonly unknown[];
  /** Headers to add to the response, or to replace in it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A `Retry-After` value, sent unchanged: seconds, a date, or nonsense. Whole seconds also go into the body. */
  readonly retryAfter?: number | string;
  /** `'close'`: the connection closes without a response. */
  readonly connection?: 'close';
  /** Cuts the body off: `true` halfway, a number after so many bytes. Alone, it cuts the service's own response. */
  readonly cutBody?: boolean | number;
}

/** A fault that was added. */
export interface ActiveFault {
  /** Counts from 1. */
  readonly id: number;
  /** As it was added. */
  readonly options: FaultOptions;
  /** How many more requests it will meet; 0 once it is spent or removed. */
  readonly remaining: number | 'always';
  /** How many requests it has met. */
  readonly used: number;
  /** Removes the fault; has no effect when it has been removed. */
  remove(): void;
}

/** Mistakes that the service's documents do not refuse. The sandbox serves such a request and reports the mistake. */
export type WarningCode =
  | 'content-type-missing'
  | 'content-type-not-json'
  | 'unknown-field'
  | 'numeric-recipient'
  | 'numeric-customer-phone'
  | 'key-repeated-with-other-payload'
  | 'no-webhook-subscription'
  | 'no-price-guard';

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

/** A request that reached the sandbox, and how it ended, as `sandbox.requests` shows it. */
export interface SandboxRequest {
  /** Counts from 1. */
  readonly id: number;
  /** When it arrived, by the sandbox's clock. */
  readonly at: Date;
  /** The address it came from: the socket's, or the first of `X-Forwarded-For`. */
  readonly ip: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path, prefix included. */
  readonly path: string;
  /** The query parameters. */
  readonly query: Readonly<Record<string, string>>;
  /** Headers, their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body, else its text; undefined without one. */
  readonly body: unknown;
  /** Which of the 13 calls it is; undefined for other paths. */
  readonly operation: OperationName | undefined;
  /** The client_id that it claimed. */
  readonly clientId: string | undefined;
  /** The idempotency_key that it carried. */
  readonly idempotency_key: string | undefined;
  /** The transaction that it bought, repeated or looked up. */
  readonly reference: string | undefined;
  /** Whether it repeated a key that was used already, and so charged nothing. */
  readonly replayed: boolean;
  /** The fault that met it. */
  readonly fault: FaultOptions | undefined;
  /** Mistakes that were tolerated, because the service's documents do not refuse them. */
  readonly warnings: readonly SandboxWarning[];
  /** Whether the caller got the whole response, a part of it, or a closed connection. */
  readonly outcome: 'complete' | 'cut' | 'closed';
  /** The response that was made, whether or not it came through; undefined where the connection closed before one was. */
  readonly response:
    | {
        /** The HTTP status. */
        readonly status: number;
        /** Headers in lower case. */
        readonly headers: Readonly<Record<string, string>>;
        /** The JSON value or text. */
        readonly body: unknown;
      }
    | undefined;
  /** From arrival to response, in ms by the sandbox's clock. */
  readonly durationMs: number;
}

/** A purchase that bought nothing, as `sandbox.refusals` shows it. */
export interface SandboxRefusal {
  /** The id of its request in `sandbox.requests`, which forgets it sooner. */
  readonly requestId: number;
  /** When it arrived, by the sandbox's clock. */
  readonly at: Date;
  /** The client_id that it claimed. */
  readonly clientId: string | undefined;
  /** Which purchase. */
  readonly operation: OperationName;
  /** The biller as the request spelled it. */
  readonly biller: string | undefined;
  /** Phone, smartcard, meter or profile. */
  readonly recipient: string | undefined;
  /** The catalogue product. */
  readonly product_code: string | undefined;
  /** NGN. */
  readonly amount: number | undefined;
  /** The key that it carried. */
  readonly idempotency_key: string | undefined;
  /** The HTTP status; undefined where the connection closed without a response. */
  readonly status: number | undefined;
  /** The error's code. */
  readonly code: string | undefined;
  /** Why, in a sentence: the message, or each wrong field with what is wrong with it. */
  readonly reason: string;
  /** The fields that a 422 names. */
  readonly fields: readonly string[];
  /** How many transactions there were: it comes after `transactions[position - 1]`. */
  readonly position: number;
}

/** The two final states. */
export type SettlementOutcome = 'success' | 'failed';

/** A listed price that is changed while the sandbox runs. */
export interface PriceChange {
  /** The product family. */
  readonly product: CatalogueFamily;
  /** The biller, in any case. */
  readonly biller: string;
  /** The product's code. */
  readonly product_code: string;
  /** The new price in NGN. */
  readonly amount: number;
}

/** The families with a catalogue. There is no electricity catalogue, and airtime has a face value. */
export type CatalogueFamily = 'data' | 'tv' | 'edu';

/** How many there are of everything, as `sandbox.counts` has it: kept, and not counted when it is asked for. */
export interface SandboxCounts {
  /** Accepted purchases by state. */
  readonly transactions: {
    readonly total: number;
    readonly pending: number;
    readonly success: number;
    readonly failed: number;
  };
  /** Purchases that bought nothing. */
  readonly refused: number;
  /** Webhook deliveries: `pending` have attempts left, the last attempt of `failing` was not accepted. */
  readonly deliveries: { readonly total: number; readonly pending: number; readonly failing: number };
  /** Requests in the log. */
  readonly requests: number;
}

/** One thing that happened to a transaction. */
export interface TimelineEntry {
  /** When, by the sandbox's clock. For a request: when its response was made. */
  readonly at: Date;
  /** What, by kind: a request with its key, a movement of the wallet, its settlement, a webhook that was sent. */
  readonly kind: 'request' | 'wallet' | 'settlement' | 'delivery';
  /** What, in a short sentence. */
  readonly text: string;
  /** `request` only: the id of the request in `sandbox.requests`. */
  readonly requestId?: number;
  /** `delivery` only: the number of the attempt within the delivery of the transaction. */
  readonly attempt?: number;
}
