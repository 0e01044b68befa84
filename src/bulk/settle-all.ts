import * as z from 'zod/mini';
import type { SettledTransaction, Transaction } from '../contract/responses.js';
import { ApiError, NotFoundError } from '../errors/api-errors.js';
import { classify } from '../errors/classify.js';
import { isBillPayError } from '../errors/index.js';
import type { SettlementSource, WaitOptions } from '../resources/wait-until-settled.js';
import { onAbort } from '../utils/on-abort.js';
import { fn, ms, signal, wholeNumber, withMethods } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { Sum } from './amounts.js';
import { type AcceptedSale, type Journal, journalOption, type OpenJournal } from './journal.js';

/** The part of a client that `settleAll` needs; every `BillPay` has it. */
export interface SettleClient {
  /** What is used of the client. */
  readonly transactions: {
    /** Waits for the end of one sale. */
    waitUntilSettled(reference: string, options?: WaitOptions): PromiseLike<SettledTransaction>;
  };
}

/** The outcome of one accepted sale. */
export type SettleOutcome =
  /** Delivered, or failed and refunded. */
  | { readonly status: 'settled'; readonly sale: AcceptedSale; readonly transaction: SettledTransaction }
  /** Not over within the time: a later call looks again. */
  | {
      readonly status: 'open';
      readonly sale: AcceptedSale;
      readonly error: unknown;
      /** True when the sale failed and the wallet has not been refunded yet. */
      readonly awaitingRefund: boolean;
      /** The transaction as last seen; undefined when no lookup succeeded. */
      readonly transaction: Transaction | undefined;
    };

/** The final report, over all runs on the journal. */
export interface SettleSummary {
  /** Sales that were delivered. */
  readonly success: number;
  /** Sales that failed and were refunded. */
  readonly failed: number;
  /** Sales that are not over yet, those that await a refund included. */
  readonly open: number;
  /** Of the open sales, those that failed and have not been refunded yet. */
  readonly awaitingRefund: number;
  /** NGN of the delivered sales. */
  readonly successAmount: number;
  /** NGN of the failed and refunded sales, which the wallet has back. */
  readonly refundedAmount: number;
}

/** Options for `settleAll`. */
export interface SettleAllOptions {
  /** The journal of the run whose sales to follow. */
  journal: Journal;
  /** Settlement events of a webhook receiver in this process: sales then end with their webhook, and polling is only the fallback. */
  events?: SettlementSource | undefined;
  /** How many sales are followed at once (default 20). Without events each is polled: first after 2 s, then more and more slowly. */
  concurrency?: number | undefined;
  /** ms to follow one sale before it is left open. Default 600,000 (10 minutes). */
  timeout?: number | undefined;
  /** Ends it cleanly; sales that are not over stay open. */
  signal?: AbortSignal | undefined;
  /** Called with the outcome of each sale that an earlier call had not seen settled. */
  onOutcome?: ((outcome: SettleOutcome) => void) | undefined;
}

/**
 * Follows all accepted sales of a journal until they are over: by events first, by gentle polling otherwise. A sale that was seen settled is
 * noted in the journal and not looked up again; one that failed without a refund stays open, and a later call looks again.
 *
 * @throws `ConfigurationError` for a wrong option; `JournalBusyError` while a run uses the journal; refusals that every lookup would meet
 * (401, 403).
 *
 * @example
 * ```ts
 * const { success, failed, open, awaitingRefund } = await settleAll(billpay, { journal: fileJournal('payday.journal') });
 * ```
 */
export async function settleAll(billpay: SettleClient, options: SettleAllOptions): Promise<SettleSummary> {
  const checked = parseOptions(schema, options, { owner: 'settleAll' });
  const { journal: closedJournal, concurrency, onOutcome, signal, ...waitOptions } = checked;
  const journal = await closedJournal.open();
  const report = createReport();
  const sales = journal.accepted()[Symbol.asyncIterator]();
  const stop = new AbortController();
  const stopListening = onAbort(signal, () => stop.abort());
  if (signal?.aborted) stop.abort();
  let hasFailed = false;
  const follower = async (): Promise<void> => {
    for (let next = await sales.next(); !next.done && !hasFailed; next = await sales.next()) {
      const sale = next.value;
      if (sale.settled !== undefined) {
        report.addSettled(sale, sale.settled);
        continue;
      }
      const outcome = await follow(billpay, journal, sale, { ...waitOptions, signal: stop.signal });
      if (outcome.status === 'settled') report.addSettled(sale, outcome.transaction.transaction_status);
      else report.addOpen(outcome.awaitingRefund);
      onOutcome?.(outcome);
    }
  };
  const followers = Array.from({ length: concurrency }, follower);
  try {
    await Promise.all(followers);
  } finally {
    // After an error the other followers end too, instead of polling on behind the caller's back.
    hasFailed = true;
    stop.abort();
    stopListening();
    await Promise.allSettled(followers);
    await journal.close();
  }
  return report.summary();
}

const schema = optionsOf({
  journal: journalOption(),
  events: z.optional(
    withMethods<SettlementSource>(['next'], 'must be made by createSettlementEvents() of billpay/webhooks'),
  ),
  concurrency: z._default(wholeNumber(1), 20),
  timeout: z._default(ms(), 600_000),
  signal: z.optional(signal()),
  onOutcome: z.optional(fn<NonNullable<SettleAllOptions['onOutcome']>>()),
} satisfies OptionShape<SettleAllOptions>);

async function follow(
  billpay: SettleClient,
  journal: OpenJournal,
  sale: AcceptedSale,
  options: WaitOptions,
): Promise<SettleOutcome> {
  try {
    const transaction = await billpay.transactions.waitUntilSettled(sale.reference, options);
    const { key, reference } = sale;
    await journal.settled({ key, reference, status: transaction.transaction_status });
    return { status: 'settled', sale, transaction };
  } catch (error) {
    if (!leavesOpen(error)) throw error;
    const transaction =
      isBillPayError(error) && error.name === 'TimeoutError' ? error.transaction : undefined;
    const awaitingRefund = transaction?.transaction_status === 'failed';
    return { status: 'open', sale, error, awaitingRefund, transaction };
  }
}

/** Whether an error concerns one sale; others, such as a 401 or a journal that was lost, would meet every lookup. */
function leavesOpen(error: unknown): boolean {
  const kind = classify(error);
  if (kind === 'transient' || kind === 'aborted') return true;
  return error instanceof NotFoundError || (kind === 'rejected' && error instanceof ApiError);
}

function createReport() {
  const counts = { success: 0, failed: 0, open: 0, awaitingRefund: 0 };
  const delivered = new Sum();
  const refunded = new Sum();
  return {
    addSettled({ amount }: AcceptedSale, status: string): void {
      const isDelivered = status === 'success';
      counts[isDelivered ? 'success' : 'failed']++;
      (isDelivered ? delivered : refunded).add(amount);
    },
    addOpen(awaitingRefund: boolean): void {
      counts.open++;
      if (awaitingRefund) counts.awaitingRefund++;
    },
    summary: (): SettleSummary => ({
      ...counts,
      successAmount: delivered.total,
      refundedAmount: refunded.total,
    }),
  };
}
