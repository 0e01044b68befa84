import { toKobo, toNaira } from '../contract/money.js';
import type { Transaction } from '../contract/responses.js';
import { isBillPayError } from '../errors/index.js';
import type { WaitOptions } from '../resources/wait-until-settled.js';
import {
  assertOption,
  checkedFunction,
  checkedMs,
  checkedSignal,
  refuseUnknownOptions,
  wholeNumber,
} from '../validation/options.js';
import type { AcceptedSale, Journal, OpenJournal } from './journal.js';

/** What is needed of a client: any `BillPay` will do. */
export interface SettleClient {
  readonly transactions: {
    waitUntilSettled(reference: string, options?: WaitOptions): PromiseLike<Transaction>;
  };
}

/** What became of one accepted sale. */
export type SettleOutcome =
  | { readonly status: 'settled'; readonly sale: AcceptedSale; readonly transaction: Transaction }
  /** Still pending, or not to be learned: a later call looks again. */
  | { readonly status: 'open'; readonly sale: AcceptedSale; readonly error: unknown };

/** The final report, over all runs on the journal. */
export interface SettleSummary {
  /** Delivered. */
  readonly success: number;
  /** Failed and refunded. */
  readonly failed: number;
  /** Not settled within the time. */
  readonly open: number;
  /** NGN of the delivered ones. */
  readonly successAmount: number;
  /** NGN of the failed ones, which are back in the wallet. */
  readonly refundedAmount: number;
}

/** What `settleAll` is told. */
export interface SettleAllOptions {
  /** The journal of the run whose sales to follow. */
  journal: Journal;
  /** What a webhook receiver in this process feeds: sales then end with their webhook, and looking is only the fallback. */
  events?: WaitOptions['events'];
  /** How many sales are followed at once (default 20): without events each looks, first after 2 s, then ever more slowly. */
  concurrency?: number | undefined;
  /** ms to follow one sale before it is left open. Default 600,000 (10 minutes). */
  timeout?: number | undefined;
  /** Ends it cleanly; what is not settled is open. */
  signal?: AbortSignal | undefined;
  /** Told of each sale as it ends. */
  onOutcome?: ((outcome: SettleOutcome) => void) | undefined;
}

/**
 * Follows all accepted sales of a journal to their end, for the final report: events first, gentle looks as the fallback. What has been
 * seen settled is noted in the journal and not asked again.
 *
 * @throws `ConfigurationError` for a wrong option; `JournalBusyError` while a run has the journal; refusals that would meet every look
 * (401, 403).
 *
 * @example
 * ```ts
 * const { success, failed, open } = await settleAll(billpay, { journal: fileJournal('payday.journal'), events });
 * ```
 */
export async function settleAll(billpay: SettleClient, options: SettleAllOptions): Promise<SettleSummary> {
  refuseUnknownOptions(
    options,
    ['journal', 'events', 'concurrency', 'timeout', 'signal', 'onOutcome'],
    'settleAll',
  );
  const { journal, events, concurrency = 20, onOutcome } = options;
  assertOption(
    typeof journal?.open === 'function',
    'journal',
    "is needed: the journal of the run, such as fileJournal('payday.journal')",
  );
  wholeNumber('concurrency', concurrency, 1);
  checkedFunction('onOutcome', onOutcome);
  const timeout = checkedMs('timeout', options.timeout, 600_000);
  const signal = checkedSignal(options.signal);
  const book = await journal.open();
  const sums = { success: 0, failed: 0, open: 0, successKobo: 0, refundedKobo: 0 };
  const count = ({ amount }: AcceptedSale, end: string | undefined) => {
    const kobo = toKobo(amount);
    if (end === undefined) sums.open++;
    else if (end === 'success') {
      sums.success++;
      sums.successKobo += kobo;
    } else {
      sums.failed++;
      sums.refundedKobo += kobo;
    }
  };
  const sales = book.accepted()[Symbol.asyncIterator]();
  const follower = async (): Promise<void> => {
    for (let next = await sales.next(); !next.done; next = await sales.next()) {
      const sale = next.value;
      if (sale.settled !== undefined) {
        count(sale, sale.settled);
        continue;
      }
      const outcome = await follow(billpay, book, sale, { timeout, signal, events });
      count(sale, outcome.status === 'open' ? undefined : outcome.transaction.transaction_status);
      onOutcome?.(outcome);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, follower));
  } finally {
    await book.close();
  }
  const { success, failed, open, successKobo, refundedKobo } = sums;
  return {
    success,
    failed,
    open,
    successAmount: toNaira(successKobo),
    refundedAmount: toNaira(refundedKobo),
  };
}

async function follow(
  billpay: SettleClient,
  book: OpenJournal,
  sale: AcceptedSale,
  options: WaitOptions,
): Promise<SettleOutcome> {
  try {
    const transaction = await billpay.transactions.waitUntilSettled(sale.reference, options);
    const { key, reference } = sale;
    await book.settled({ key, reference, status: transaction.transaction_status });
    return { status: 'settled', sale, transaction };
  } catch (error) {
    const isOpen =
      isBillPayError(error) &&
      (error.name === 'TimeoutError' || error.name === 'AbortError' || error.name === 'NotFoundError');
    if (isOpen) return { status: 'open', sale, error };
    throw error;
  }
}
