import { toKobo, toNaira } from '../../contract/money.js';
import type { ResultOf } from '../../contract/operations.js';
import type { AcceptanceEnvelope, DataEnvelope } from '../../contract/responses.js';
import { commission, type Product } from '../../contract/vocabulary.js';
import type { SandboxCounts, SandboxTransaction, SettlementOutcome } from '../records/objects.js';

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

/** All transactions, in order of acceptance and by reference, and how many there are in each state. */
export class Transactions {
  readonly list: Transaction[] = [];
  readonly #byReference = new Map<string, Transaction>();
  readonly #states = { pending: 0, success: 0, failed: 0 };

  get counts(): SandboxCounts['transactions'] {
    return { total: this.list.length, ...this.#states };
  }

  add(transaction: Transaction): void {
    this.list.push(transaction);
    this.#byReference.set(transaction.reference, transaction);
    this.#states[transaction.status] += 1;
  }

  get(reference: string): Transaction | undefined {
    return this.#byReference.get(reference);
  }

  /** Brings a pending transaction to its final state. */
  settle(transaction: Transaction, outcome: SettlementOutcome, at: Date): void {
    this.#states.pending -= 1;
    this.#states[outcome] += 1;
    transaction.status = outcome;
    transaction.updated_at = wireTime(at.getTime());
    transaction.completed_at = transaction.updated_at;
    transaction.settledAt = at;
    transaction.settlesAt = undefined;
  }
}

let latest = { second: Number.NaN, text: '' };

/** `YYYY-MM-DD HH:MM:SS`, the service's format without a zone. The sandbox writes UTC. Each transaction keeps it: one text a second. */
export function wireTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== latest.second) latest = { second, text: isoTime(ms).slice(0, 19).replace('T', ' ') };
  return latest.text;
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the format of webhooks. */
export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The webhook format of a time in the service's format. */
export const wireToIso = (time: string): string => `${time.replace(' ', 'T')}Z`;
