import type { SandboxDelivery, SandboxDeliveryAttempt } from '../deliveries/delivery.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import type { LedgerEntry } from '../rules/wallet.js';
import type { SandboxActivity } from './activity.js';
import type { SandboxRequest } from './request-log.js';

/** One thing that happened to a transaction. */
export interface TimelineEntry {
  /** Counts over everything that happens in the sandbox: the order of things that share one millisecond. */
  readonly sequence: number;
  /** When, by the sandbox's clock. For a request: when its response was made. */
  readonly at: Date;
  /** What, by kind: a request with its key, a movement of the wallet, its settlement, a webhook that was sent. */
  readonly kind: 'request' | 'wallet' | 'settlement' | 'delivery';
  /** What, in a short sentence. */
  readonly text: string;
  /** `request` only: the id of the request in `sandbox.requests`; undefined after a restart, which begins a new log. */
  readonly requestId?: number | undefined;
  /** `delivery` only: the number of the attempt within the delivery of the transaction. */
  readonly attempt?: number | undefined;
}

/** An entry and the transaction that it belongs to. */
export interface ReferencedEntry {
  readonly reference: string;
  readonly entry: TimelineEntry;
}

/** The maximum number of entries of a transaction; the oldest requests are removed first. */
const maxEntries = 1000;

/** What happened to each transaction, in the order in which it happened. */
export class Timelines {
  readonly #byReference = new Map<string, TimelineEntry[]>();
  #lastSequence = 0;

  /** Oldest first; empty for an unknown reference. */
  of(reference: string): readonly TimelineEntry[] {
    return this.#byReference.get(reference) ?? [];
  }

  /** Adds an activity to the timeline of the transaction that it concerns, and returns the entry; undefined if it concerns none. */
  record(activity: SandboxActivity): ReferencedEntry | undefined {
    const event = transactionEvent(activity);
    if (!event) return undefined;
    const { reference, ...rest } = event;
    const entry = { sequence: activity.id, ...rest };
    this.restore(reference, entry);
    return { reference, entry };
  }

  /** The sequence of the newest entry; 0 without one. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Adds an entry that was made before. */
  restore(reference: string, entry: TimelineEntry): void {
    this.#lastSequence = Math.max(this.#lastSequence, entry.sequence);
    const entries = this.#byReference.get(reference);
    if (!entries) {
      this.#byReference.set(reference, [entry]);
      return;
    }
    entries.push(entry);
    if (entries.length > maxEntries) dropOldestRequest(entries);
  }
}

function dropOldestRequest(entries: TimelineEntry[]): void {
  entries.splice(
    Math.max(
      0,
      entries.findIndex(({ kind }) => kind === 'request'),
    ),
    1,
  );
}

type TransactionEvent = Omit<TimelineEntry, 'sequence'> & { readonly reference: string };

function transactionEvent(activity: SandboxActivity): TransactionEvent | undefined {
  switch (activity.type) {
    case 'wallet':
      return walletEvent(activity.entry);
    case 'request':
      return requestEvent(activity.request, activity.at);
    case 'transaction':
      return activity.change === 'settled' ? settlementEvent(activity.transaction, activity.at) : undefined;
    case 'delivery':
      return deliveryEvent(activity.delivery, activity.attempt);
    default:
      return undefined;
  }
}

function walletEvent({ reference, kind, amount, at }: LedgerEntry): TransactionEvent | undefined {
  if (reference === undefined) return undefined;
  return {
    reference,
    at,
    kind: 'wallet',
    text: `${kind === 'debit' ? 'debited' : 'refunded'} ${amount} NGN`,
  };
}

function requestEvent(request: SandboxRequest, at: Date): TransactionEvent | undefined {
  const { id, reference, operation, replayed, outcome, response } = request;
  if (reference === undefined) return undefined;
  const what = operation === 'transactions.status' ? 'looked up' : replayed ? 'repeated' : 'accepted';
  const end = outcome === 'complete' ? `response ${response?.status}` : 'the response was lost';
  return { reference, at, kind: 'request', text: `${what}, ${end}`, requestId: id };
}

const settlementEvent = ({ reference, status }: SandboxTransaction, at: Date): TransactionEvent => ({
  reference,
  at,
  kind: 'settlement',
  text: `settled as ${status}`,
});

function deliveryEvent(
  { reference, event }: SandboxDelivery,
  { at, number, reason, status, error }: SandboxDeliveryAttempt,
): TransactionEvent {
  const end = status === undefined ? (error ?? 'no response') : `response ${status}`;
  return { reference, at, kind: 'delivery', text: `${event} sent (${reason}), ${end}`, attempt: number };
}
