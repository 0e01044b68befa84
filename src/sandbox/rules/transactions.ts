import { commission } from '../../contract/limits.js';
import { toKobo, toNaira } from '../../contract/money.js';
import type { OperationName, ResultOf } from '../../contract/operations.js';
import type { AcceptanceEnvelope, DataEnvelope } from '../../contract/responses.js';
import type { MeterType, Product } from '../../contract/vocabulary.js';

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
  /** The exact time of `completed_at`, by the sandbox's clock. */
  readonly settledAt: Date | undefined;
  /** When it settles on its own; undefined once it is final, and when only `settle` ends it. */
  readonly settlesAt: Date | undefined;
}

/** The store's own record: what settlement may change is writable here and nowhere else. */
export interface Transaction extends SandboxTransaction {
  status: SandboxTransaction['status'];
  token: string | null;
  refunded: boolean;
  updated_at: string;
  completed_at: string | undefined;
  settledAt: Date | undefined;
  settlesAt: Date | undefined;
  /** How it settles on its own. */
  settlesAs: 'success' | 'failed';
}

/** `VTU_AIRTIME` is documented; the others are this sandbox's words. */
export const serviceTypes: Readonly<Record<Product, string>> = {
  airtime: 'VTU_AIRTIME',
  data: 'DATA_BUNDLE',
  tv: 'CABLE_TV',
  electricity: 'ELECTRICITY',
  edu: 'EDUCATION',
};

/** 2% of the price, at most 150 NGN; a failed transaction earns nothing. */
export function commissionOn(transaction: Pick<SandboxTransaction, 'amount' | 'status'>): number {
  if (transaction.status === 'failed') return 0;
  const kobo = Math.round(toKobo(transaction.amount) * commission.rate);
  return Math.min(toNaira(kobo), commission.capNgn);
}

/** The 202 of a purchase, the first time and on every repeat of its key. */
export const acceptance = (transaction: SandboxTransaction): AcceptanceEnvelope => ({
  status: 'pending',
  code: 'PROCESSING',
  message: 'Your purchase was accepted and is being processed.',
  data: {
    reference: transaction.reference,
    recipient: transaction.recipient,
    biller: transaction.biller,
    amount: transaction.amount,
    channel: 'API_GATEWAY',
    currency: 'NGN',
    created_at: transaction.created_at,
  },
});

/** The status lookup of a transaction. */
export function statusView(transaction: SandboxTransaction): DataEnvelope<ResultOf<'transactions.status'>> {
  const earned = commissionOn(transaction);
  const biller = transaction.biller.toUpperCase();
  return {
    status: 'success',
    data: {
      reference: transaction.reference,
      transaction_status: transaction.status,
      amount: transaction.amount,
      amount_charged: transaction.amount,
      service_amount: transaction.amount,
      commission: earned,
      commission_received: earned,
      service_type: serviceTypes[transaction.product],
      biller,
      network: biller,
      token: transaction.token,
      created_at: transaction.created_at,
      updated_at: transaction.updated_at,
      refunded: transaction.refunded,
      ...(transaction.completed_at === undefined ? {} : { completed_at: transaction.completed_at }),
    },
  };
}

/** All transactions, in order of acceptance and by reference. */
export class Transactions {
  readonly list: Transaction[] = [];
  readonly #byReference = new Map<string, Transaction>();

  add(transaction: Transaction): void {
    this.list.push(transaction);
    this.#byReference.set(transaction.reference, transaction);
  }

  get(reference: string): Transaction | undefined {
    return this.#byReference.get(reference);
  }
}
