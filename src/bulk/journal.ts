import type { BulkItem } from './item.js';

/**
 * How an item stands in a journal. `started`: sent, with no outcome. `unknown`: money may have moved. Both are resumed with the same key.
 * `deferred`: certainly not charged, and may be asked again. `accepted` and `refused` are final.
 */
export type JournalState = 'started' | 'accepted' | 'refused' | 'unknown' | 'deferred';

/** What a run writes of an item once it has an outcome. Never a token or a PIN. */
export type JournalOutcome =
  | { readonly state: 'accepted'; readonly key: string; readonly reference: string; readonly amount: number }
  | { readonly state: 'refused' | 'unknown' | 'deferred'; readonly key: string; readonly error: string };

/** What became of an accepted sale. */
export interface JournalSettlement {
  readonly key: string;
  readonly reference: string;
  readonly status: string;
}

/** An accepted sale in a journal. */
export interface AcceptedSale {
  readonly key: string;
  readonly reference: string;
  /** NGN. */
  readonly amount: number;
  /** `success` or `failed` once it has been seen settled. */
  readonly settled: string | undefined;
}

/** A journal that one run holds. */
export interface OpenJournal {
  /** How an item stands, and the fingerprint of what was asked under its key; undefined for a new key. */
  find(key: string): { readonly state: JournalState; readonly fingerprint: number } | undefined;
  /** Items without a final outcome, as they were first written. */
  unfinished(): AsyncIterable<BulkItem>;
  /** Accepted sales of earlier runs. */
  accepted(): AsyncIterable<AcceptedSale>;
  /** Counts and amounts over all runs. */
  totals(): JournalTotals;
  /** Resolves when the item is durable: only then may it be sent. */
  begin(item: BulkItem): Promise<void>;
  /** Resolves when the outcome is written. */
  end(outcome: JournalOutcome): Promise<void>;
  /** Resolves when the settlement is written. */
  settled(settlement: JournalSettlement): Promise<void>;
  /** Makes everything durable and lets others have the journal. */
  close(): Promise<void>;
}

/** What a journal holds, over all runs. */
export interface JournalTotals {
  /** Items by state. */
  readonly counts: Readonly<Record<JournalState, number>>;
  /** NGN charged for accepted items. */
  readonly acceptedAmount: number;
}

/** Where a bulk run remembers what it did. `fileJournal` is one. */
export interface Journal {
  /** Takes the journal for one run; rejects with `JournalBusyError` while another run has it. */
  open(): Promise<OpenJournal>;
}
