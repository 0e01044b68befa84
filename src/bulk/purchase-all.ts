import type { Purchase } from '../contract/responses.js';
import { type BillPayError, isBillPayError } from '../errors/index.js';
import { nextStep } from '../errors/next-step.js';
import { ValidationError } from '../errors/request-errors.js';
import {
  assertOption,
  checkedFunction,
  checkedSignal,
  refuseUnknownOptions,
  wholeNumber,
} from '../validation/options.js';
import { askedAmount, type BulkClient, type BulkItem, fingerprint, itemErrors, purchase } from './item.js';
import type { Journal, JournalOutcome, OpenJournal } from './journal.js';

/** What became of one item in this run. */
export type BulkOutcome =
  /** Accepted and debited; delivery follows. */
  | {
      readonly status: 'accepted';
      readonly item: BulkItem;
      readonly purchase: Purchase;
      readonly resumed: boolean;
    }
  /** Certainly not charged in this run. `nextStep(error)` tells whether a later run asks again. */
  | {
      readonly status: 'refused';
      readonly item: BulkItem;
      readonly error: BillPayError;
      readonly resumed: boolean;
    }
  /** Money may have moved: a later run with the same journal resumes it under its key. */
  | {
      readonly status: 'unknown';
      readonly item: BulkItem;
      readonly error: unknown;
      readonly resumed: boolean;
    };

/** How a run stands. */
export interface BulkProgress {
  /** Items accepted in this run. */
  readonly accepted: number;
  /** Items refused in this run. */
  readonly refused: number;
  /** Items of unknown fate in this run. */
  readonly unknown: number;
  /** Items that an earlier run, or an earlier line, had settled: nothing was asked. */
  readonly skipped: number;
  /** NGN charged in this run. */
  readonly spent: number;
}

/** Why a run ended before its items did. */
export interface BulkStop {
  /** `wallet`: 402. `access`: 401, 403. `signal`: aborted. `stopWhen`: your own word. */
  readonly reason: 'wallet' | 'access' | 'signal' | 'stopWhen';
  /** What the service said, where it said something. */
  readonly error?: BillPayError;
  /** Items that were not bought, and what those of them that name an amount add up to in NGN. Undefined after an abort: nobody counted. */
  readonly left?: { readonly items: number; readonly amount: number };
}

/** How a run ended. */
export interface BulkSummary extends BulkProgress {
  /** Keys of unknown fate: run again with the same journal. At most 10,000 are listed; `unknown` counts them all. */
  readonly unknownKeys: readonly string[];
  /** Why it ended early; undefined when it came to the end of its items. */
  readonly stopped?: BulkStop;
}

/** A bulk run: iterate it for an outcome an item; `summary()` drives what is left to its end. */
export interface BulkRun extends AsyncIterable<BulkOutcome> {
  /** Resolves when the run is over. */
  summary(): Promise<BulkSummary>;
}

/** What `purchaseAll` is told. */
export interface PurchaseAllOptions {
  /** Where the run remembers what it did: `fileJournal(path)`. */
  journal: Journal;
  /** How many purchases are under way at once (default 4). */
  concurrency?: number | undefined;
  /** Ends the run cleanly: what is under way is aborted and stays resumable. */
  signal?: AbortSignal | undefined;
  /** Told how the run stands, after each item. One that throws ends the run. */
  onProgress?: ((progress: BulkProgress) => void) | undefined;
  /** Ends the run cleanly after an outcome for which it gives true. */
  stopWhen?: ((outcome: BulkOutcome, progress: BulkProgress) => boolean) | undefined;
}

const mostUnknownKeys = 10_000;

/**
 * Buys a list of things, each under its own key, so that it survives crashes: run it again with the same journal and nothing is bought
 * twice, nothing is lost. Items may come from any iterable, a file of a million lines included; outcomes come in any order.
 *
 * It stops by itself on what concerns every item (401, 402, 403), and goes on past what concerns one. Give the client `pacing: true`, and a
 * `totalTimeout` that leaves room to wait for turns.
 *
 * @throws `ConfigurationError` for a wrong option; on iterating also `JournalBusyError` and `JournalCorruptError`.
 *
 * @example
 * ```ts
 * const run = purchaseAll(billpay, items, { journal: fileJournal('payday.journal'), concurrency: 8 });
 * for await (const outcome of run) {
 *   if (outcome.status === 'refused') console.log(outcome.item.idempotency_key, outcome.error.message);
 * }
 * const { accepted, spent, unknownKeys, stopped } = await run.summary();
 * ```
 */
export function purchaseAll(
  billpay: BulkClient,
  items: Iterable<BulkItem> | AsyncIterable<BulkItem>,
  options: PurchaseAllOptions,
): BulkRun {
  const settings = checked(options);
  const outcomes = run(billpay, items, settings);
  let summary: Promise<BulkSummary> | undefined;
  const next = async (): Promise<IteratorResult<BulkOutcome, undefined>> => {
    const { done, value } = await outcomes.next();
    if (!done) return { done: false, value };
    summary ??= Promise.resolve(value);
    return { done: true, value: undefined };
  };
  const drain = async (): Promise<BulkSummary> => {
    for (;;) {
      const { done, value } = await outcomes.next();
      if (done) return value;
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      // A `break` ends the run as an abort does: what is under way is waited for, and the journal is closed.
      return: async () => {
        settings.stop.abort();
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

interface Settings {
  readonly journal: Journal;
  readonly concurrency: number;
  readonly onProgress: PurchaseAllOptions['onProgress'];
  readonly stopWhen: PurchaseAllOptions['stopWhen'];
  readonly signal: AbortSignal | undefined;
  /** Aborted by the run itself when its caller leaves it. */
  readonly stop: AbortController;
}

function checked(options: PurchaseAllOptions): Settings {
  refuseUnknownOptions(
    options,
    ['journal', 'concurrency', 'signal', 'onProgress', 'stopWhen'],
    'purchaseAll',
  );
  const { journal, concurrency = 4, onProgress, stopWhen } = options;
  assertOption(
    typeof journal?.open === 'function',
    'journal',
    "is needed, such as fileJournal('payday.journal'): without one a crash would lose sight of money",
  );
  wholeNumber('concurrency', concurrency, 1);
  checkedFunction('onProgress', onProgress);
  checkedFunction('stopWhen', stopWhen);
  return {
    journal,
    concurrency,
    onProgress,
    stopWhen,
    signal: checkedSignal(options.signal),
    stop: new AbortController(),
  };
}

/** An item on its way. */
interface Task {
  readonly item: BulkItem;
  readonly resumed: boolean;
}

async function* run(
  billpay: BulkClient,
  items: Iterable<BulkItem> | AsyncIterable<BulkItem>,
  { journal, concurrency, onProgress, stopWhen, signal, stop }: Settings,
): AsyncGenerator<BulkOutcome, BulkSummary> {
  const book = await journal.open();
  const leave = () => stop.abort();
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted) leave();
  const progress = { accepted: 0, refused: 0, unknown: 0, skipped: 0, spent: 0 };
  const unknownKeys: string[] = [];
  const underway = new Map<string, Promise<BulkOutcome>>();
  const left = createCount();
  let stopped: BulkStop | undefined;

  const tasks = tasksOf(book, items, () => {
    progress.skipped++;
  });
  let spentKobo = 0;
  let source: IteratorResult<Task, void> | undefined;
  try {
    for (;;) {
      if (stop.signal.aborted) stopped ??= { reason: 'signal' };
      while (!stopped && underway.size < concurrency) {
        source = await tasks.next();
        if (source.done) break;
        const task = source.value;
        underway.set(task.item.idempotency_key, buy(billpay, book, task, stop.signal));
        if (stop.signal.aborted) break;
      }
      if (underway.size === 0) break;
      const outcome = await Promise.race(underway.values());
      underway.delete(outcome.item.idempotency_key);
      progress[outcome.status]++;
      if (outcome.status === 'accepted') spentKobo += Math.round(outcome.purchase.amount * 100);
      progress.spent = spentKobo / 100;
      if (outcome.status === 'unknown' && unknownKeys.length < mostUnknownKeys) {
        unknownKeys.push(outcome.item.idempotency_key);
      }
      if (outcome.status === 'refused' && scopeOf(outcome.error)) left.add(outcome.item);
      onProgress?.({ ...progress });
      stopped ??=
        concernsAll(outcome) ?? (stopWhen?.(outcome, { ...progress }) ? { reason: 'stopWhen' } : undefined);
      yield outcome;
    }
    if (stopped && stopped.reason !== 'signal') {
      for await (const { item } of tasks) left.add(item);
      stopped = { ...stopped, left: left.totals() };
    }
    return { ...progress, unknownKeys, ...(stopped && { stopped }) };
  } finally {
    stop.abort();
    signal?.removeEventListener('abort', leave);
    await Promise.allSettled(underway.values());
    await tasks.return();
    await book.close();
  }
}

/** What is to be bought: first what earlier runs left open, then the new items. What is settled already is passed over. */
async function* tasksOf(
  book: OpenJournal,
  items: Iterable<BulkItem> | AsyncIterable<BulkItem>,
  skip: () => void,
): AsyncGenerator<Task, void> {
  const resumed = new Set<string>();
  for await (const item of book.unfinished()) {
    // Begun anew after it was deferred, an item stands there again; twice at the same time is no way to buy it.
    if (resumed.has(item.idempotency_key)) continue;
    resumed.add(item.idempotency_key);
    yield { item, resumed: true };
  }
  for await (const item of items) {
    const known = itemErrors(item) ? undefined : book.find(item.idempotency_key);
    const isSettled = known && known.state !== 'deferred' && known.fingerprint === fingerprint(item);
    if (!isSettled) yield { item, resumed: false };
    else if (!resumed.delete(item.idempotency_key)) skip();
  }
}

/** Buys one item: into the journal, to the service, into the journal. Rejects only where the journal does. */
async function buy(
  billpay: BulkClient,
  book: OpenJournal,
  { item, resumed }: Task,
  signal: AbortSignal,
): Promise<BulkOutcome> {
  const problem = refusedBeforehand(item, book, resumed);
  if (problem) return { status: 'refused', item, error: problem, resumed };
  if (!resumed) await book.begin(item);
  let bought: Purchase;
  try {
    bought = await purchase(billpay, item, { signal });
  } catch (error) {
    const { action } = nextStep(error);
    const key = item.idempotency_key;
    const name = error instanceof Error ? error.name : typeof error;
    const scope = scopeOf(error);
    // A resumed item may have been bought before: a refusal that does not look at its key says nothing of that.
    const isOpen = resumed && (action === 'retry' || scope !== undefined);
    if (action === 'resume' || isOpen || !isBillPayError(error)) {
      await book.end({ state: 'unknown', key, error: name });
      return { status: 'unknown', item, error, resumed };
    }
    // What concerns every item says nothing against this one: a later run asks again.
    const state: JournalOutcome['state'] = action === 'retry' || scope ? 'deferred' : 'refused';
    await book.end({ state, key, error: name });
    return { status: 'refused', item, error, resumed };
  }
  await book.end({
    state: 'accepted',
    key: item.idempotency_key,
    reference: bought.reference,
    amount: bought.amount,
  });
  return { status: 'accepted', item, purchase: bought, resumed };
}

/** What is wrong with an item before anything is written or sent. */
function refusedBeforehand(item: BulkItem, book: OpenJournal, resumed: boolean): ValidationError | undefined {
  const errors = itemErrors(item);
  if (errors) {
    const list = Object.entries(errors).map(([field, text]) => `${field} ${text}`);
    return new ValidationError(`The item was not sent: ${list.join('; ')}.`, { errors });
  }
  const known = book.find(item.idempotency_key);
  if (resumed || !known || known.fingerprint === fingerprint(item)) return undefined;
  const text = 'stands in the journal for other parameters: a changed item needs a key of its own';
  return new ValidationError(`The item was not sent: idempotency_key '${item.idempotency_key}' ${text}.`, {
    idempotencyKey: item.idempotency_key,
    errors: { idempotency_key: text },
  });
}

/** Errors that would meet every item alike. */
function scopeOf(error: unknown): 'wallet' | 'access' | undefined {
  if (!isBillPayError(error)) return undefined;
  switch (error.name) {
    case 'InsufficientBalanceError':
      return 'wallet';
    case 'AuthenticationError':
    case 'AccountRestrictedError':
    case 'PermissionError':
      return 'access';
    default:
      return undefined;
  }
}

function concernsAll(outcome: BulkOutcome): BulkStop | undefined {
  if (outcome.status === 'accepted') return undefined;
  const reason = scopeOf(outcome.error);
  return reason && isBillPayError(outcome.error) ? { reason, error: outcome.error } : undefined;
}

/** Adds up what was still to buy when a run stopped. */
function createCount() {
  let items = 0;
  let kobo = 0;
  return {
    add(item: BulkItem): void {
      if (itemErrors(item)) return;
      items++;
      kobo += Math.round((askedAmount(item) ?? 0) * 100);
    },
    totals: () => ({ items, amount: kobo / 100 }),
  };
}
