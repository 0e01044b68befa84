import type { ActivityDetail } from './activity.js';
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
  /** Each text once: there are few of them, and millions of entries. */
  readonly #texts = new Map<string, string>();
  #lastSequence = 0;

  /** Oldest first; empty for an unknown reference. */
  of(reference: string): readonly TimelineEntry[] {
    return this.#byReference.get(reference) ?? [];
  }

  /** Adds what happened to the timelines of the transactions that it concerns, and returns the entries. */
  record(details: readonly ActivityDetail[], firstSequence: number, at: Date): readonly ReferencedEntry[] {
    const made: ReferencedEntry[] = [];
    for (const [index, detail] of details.entries()) {
      const referenced = entryOf(detail, firstSequence + index, at);
      if (referenced === undefined) continue;
      this.add(referenced);
      made.push(referenced);
    }
    return made;
  }

  /** The sequence of the newest entry; 0 without one. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Adds an entry, which may have been made in an earlier run. */
  add({ reference, entry }: ReferencedEntry): void {
    this.#lastSequence = Math.max(this.#lastSequence, entry.sequence);
    // A new array has room for its entries only, while one that grows has room for 17: most transactions have two or three.
    const entries = [...this.of(reference), { ...entry, text: this.#once(entry.text) }];
    if (entries.length > maxEntries) dropOldestRequest(entries);
    this.#byReference.set(reference, entries);
  }

  #once(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
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

/** The entry of what happened; undefined where it concerns no transaction. */
function entryOf(detail: ActivityDetail, sequence: number, at: Date): ReferencedEntry | undefined {
  switch (detail.type) {
    case 'wallet': {
      const { reference, kind, amount } = detail.entry;
      if (reference === undefined) return undefined;
      const text = `${kind === 'debit' ? 'debited' : 'refunded'} ${amount} NGN`;
      return { reference, entry: { sequence, at, kind: 'wallet', text } };
    }
    case 'request': {
      const { id: requestId, reference } = detail.request;
      if (reference === undefined) return undefined;
      return {
        reference,
        entry: { sequence, at, kind: 'request', text: requestText(detail.request), requestId },
      };
    }
    case 'transaction': {
      const { reference, status } = detail.transaction;
      if (detail.change === 'accepted') return undefined;
      return { reference, entry: { sequence, at, kind: 'settlement', text: `settled as ${status}` } };
    }
    case 'delivery': {
      const { reference, event } = detail.delivery;
      const { at: sentAt, number: attempt, reason, status, error } = detail.attempt;
      const end = status === undefined ? (error ?? 'no response') : `response ${status}`;
      const text = `${event} sent (${reason}), ${end}`;
      return { reference, entry: { sequence, at: sentAt, kind: 'delivery', text, attempt } };
    }
    default:
      return undefined;
  }
}

function requestText({ operation, replayed, outcome, response }: SandboxRequest): string {
  const what = operation === 'transactions.status' ? 'looked up' : replayed ? 'repeated' : 'accepted';
  return `${what}, ${outcome === 'complete' ? `response ${response?.status}` : 'the response was lost'}`;
}
