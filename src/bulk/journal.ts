import { withMethods } from '../validation/option-kinds.js';
import type { BulkItem } from './item.js';

/** The states of an item in a journal, in the order that their numbers in memory have. */
export const journalStates = ['started', 'accepted', 'refused', 'unknown', 'deferred'] as const;

/**
 * The state of an item in a journal.
 *
 * - `started`: about to be sent, or sent and without an outcome yet. A later run resumes it under its key.
 * - `unknown`: money may have moved. A later run resumes it under its key, until the service accepts it.
 * - `deferred`: certainly not charged, and a later run tries again.
 * - `accepted`, `refused`: final.
 */
export type JournalState = (typeof journalStates)[number];

/** What a run writes about an item once it has an outcome. Never a token or a PIN. */
export type JournalOutcome =
  | {
      readonly state: 'accepted';
      readonly key: string;
      readonly reference: string;
      /** NGN: what the service said was charged, else what the item asked for, else 0. */
      readonly amount: number;
    }
  | { readonly state: 'refused' | 'unknown' | 'deferred'; readonly key: string; readonly error: string };

/** The final status of an accepted sale. */
export interface JournalSettlement {
  /** The item's idempotency_key. */
  readonly key: string;
  /** The service's reference. */
  readonly reference: string;
  /** `success` or `failed`. */
  readonly status: string;
}

/** An accepted sale in a journal. */
export interface AcceptedSale {
  /** The item's idempotency_key. */
  readonly key: string;
  /** The service's reference. */
  readonly reference: string;
  /** NGN. */
  readonly amount: number;
  /** `success` or `failed` once it has been seen settled. */
  readonly settled: string | undefined;
}

/** A journal that one run holds. */
export interface OpenJournal {
  /** The state of a key, and the `fingerprint` of the item that was begun under it; undefined for a new key. */
  find(key: string): { readonly state: JournalState; readonly fingerprint: number } | undefined;
  /** Items that are `started` or `unknown`, as they were written. An item that was started more than once may come more than once. */
  unfinished(): AsyncIterable<BulkItem>;
  /** Accepted sales of earlier runs. */
  accepted(): AsyncIterable<AcceptedSale>;
  /** Counts and amounts over all runs. */
  totals(): JournalTotals;
  /** Writes an item down. Resolves when it is durable: only then may it be sent. */
  begin(item: BulkItem): Promise<void>;
  /** Writes an outcome. */
  end(outcome: JournalOutcome): Promise<void>;
  /** Writes a final status. */
  settled(settlement: JournalSettlement): Promise<void>;
  /** Makes everything durable and gives the journal up, so that another run may open it. */
  close(): Promise<void>;
}

/** Totals of a journal, over all runs. */
export interface JournalTotals {
  /** Items by state. */
  readonly counts: Readonly<Record<JournalState, number>>;
  /** NGN charged for accepted items. */
  readonly acceptedAmount: number;
}

/** Where bulk runs remember what they did. `fileJournal` makes one; implement it to keep a journal elsewhere. */
export interface Journal {
  /** Takes the journal for one run. Rejects with `JournalBusyError` while another run has it. */
  open(): Promise<OpenJournal>;
}

/** The option that holds a journal. */
export const journalOption = () =>
  withMethods<Journal>(
    ['open'],
    "must be a journal, such as fileJournal('payday.journal'); without one a crash would lose track of money",
  );
