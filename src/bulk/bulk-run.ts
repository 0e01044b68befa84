import type { Purchase } from '../contract/responses.js';
import type { BillPayError } from '../errors/index.js';
import type { BulkItem } from './item.js';

/** The outcome of one item in this run. */
export type BulkOutcome =
  /** Accepted and debited; delivery follows. */
  | {
      readonly status: 'accepted';
      readonly item: BulkItem;
      readonly purchase: Purchase;
      /** True for an item that an earlier run had begun. */
      readonly resumed: boolean;
    }
  /** Certainly not charged in this run. `nextStep(error)` says whether a later run tries again. */
  | {
      readonly status: 'refused';
      readonly item: BulkItem;
      readonly error: BillPayError;
      /** True for an item that an earlier run had begun. */
      readonly resumed: boolean;
    }
  /**
   * Money may have moved: a later run with the same journal resumes the item under its key. When `nextStep(error)` is `review`, the key
   * belongs to another purchase, and a person must look at it first.
   */
  | {
      readonly status: 'unknown';
      readonly item: BulkItem;
      readonly error: unknown;
      /** True for an item that an earlier run had begun. */
      readonly resumed: boolean;
    };

/** The progress of a run. */
export interface BulkProgress {
  /** Items accepted in this run. */
  readonly accepted: number;
  /** Items refused in this run. */
  readonly refused: number;
  /** Items of unknown outcome in this run. */
  readonly unknown: number;
  /** Items that an earlier run, or an earlier line of the list, had finished: nothing was sent. */
  readonly skipped: number;
  /** NGN charged in this run. An accepted item whose response names no amount counts with the amount that it asked for. */
  readonly spent: number;
}

/** Why a run ended before its items did. */
export interface BulkStop {
  /**
   * - `wallet`: the wallet cannot cover a purchase (402).
   * - `access`: the key, the client_id or the account was refused (401, 403).
   * - `configuration`: an option of the client is wrong, or a function among them threw.
   * - `endpoint`: every item so far met a 404 or 405, so the address is probably wrong.
   * - `signal`: aborted, or left by its caller.
   * - `stopWhen`: your own function said so.
   */
  readonly reason: 'wallet' | 'access' | 'configuration' | 'endpoint' | 'signal' | 'stopWhen';
  /** The error that stopped it, where there was one. */
  readonly error?: BillPayError;
  /** Items that were not bought, and the sum in NGN of those that name an amount. Undefined after an abort, which does not count them. */
  readonly left?: { readonly items: number; readonly amount: number };
}

/** The result of a run. */
export interface BulkSummary extends BulkProgress {
  /** Keys of unknown outcome: run again with the same journal. At most 10,000 are listed; `unknown` counts them all. */
  readonly unknownKeys: readonly string[];
  /** Why the run ended early; undefined when it reached the end of its items. */
  readonly stopped?: BulkStop;
}

/** A bulk run. Iterate it for one outcome per item, or call `summary()`, which drives it to its end. */
export interface BulkRun extends AsyncIterable<BulkOutcome> {
  /** Resolves when the run is over. Rejects with the error that ended it, such as a `JournalBusyError`. */
  summary(): Promise<BulkSummary>;
}

/** Wraps the outcomes of a run, whose return value is the summary, for its caller. */
export function createBulkRun(
  outcomes: AsyncGenerator<BulkOutcome, BulkSummary>,
  stop: AbortController,
): BulkRun {
  let summary: Promise<BulkSummary> | undefined;
  const drain = async (): Promise<BulkSummary> => {
    for (;;) {
      const { done, value } = await outcomes.next();
      if (done) return value;
    }
  };
  const next = async (): Promise<IteratorResult<BulkOutcome, undefined>> => {
    try {
      const { done, value } = await outcomes.next();
      if (!done) return { done: false, value };
      summary ??= Promise.resolve(value);
      return { done: true, value: undefined };
    } catch (error) {
      // A run that failed has no summary, whether or not anybody asks for it.
      summary ??= Promise.reject(error);
      summary.catch(() => {});
      throw error;
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      // A `break` ends the run as an abort does: it waits for what is under way and closes the journal.
      return: async () => {
        stop.abort();
        summary ??= drain();
        await summary;
        return { done: true, value: undefined };
      },
    }),
    summary: () => {
      summary ??= drain();
      return summary;
    },
  };
}
