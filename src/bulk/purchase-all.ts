import * as z from 'zod/mini';
import { onAbort } from '../utils/on-abort.js';
import { fn, signal, wholeNumber } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { askedAmount, chargedAmount, Sum } from './amounts.js';
import {
  type BulkOutcome,
  type BulkProgress,
  type BulkRun,
  type BulkStop,
  type BulkSummary,
  createBulkRun,
} from './bulk-run.js';
import { buy } from './buy.js';
import { type BulkClient, type BulkItem, itemErrors } from './item.js';
import { type Journal, journalOption } from './journal.js';
import { isFaultOfAll, missedEndpoint, stopReason } from './stop-reason.js';
import { listTasks, type Task } from './tasks.js';

/** Options for `purchaseAll`. */
export interface PurchaseAllOptions {
  /** Where the run remembers what it did: `fileJournal(path)`. */
  journal: Journal;
  /** How many purchases are under way at once. Default 4. */
  concurrency?: number | undefined;
  /** Ends the run cleanly: purchases under way are aborted and can be resumed. */
  signal?: AbortSignal | undefined;
  /** Called with the progress after each item. If it throws, the run ends with its error. */
  onProgress?: ((progress: BulkProgress) => void) | undefined;
  /** Ends the run cleanly after an outcome for which it returns true. */
  stopWhen?: ((outcome: BulkOutcome, progress: BulkProgress) => boolean) | undefined;
}

const maxUnknownKeys = 10_000;

/**
 * Buys a list of items, each under its own key, and survives crashes: run it again with the same journal, and nothing is bought twice and
 * nothing is lost. Items may come from any iterable, a file of a million lines included; outcomes come in any order.
 *
 * An item whose outcome an earlier run did not learn is sent again under its key, and stays unknown until the service accepts it, whatever
 * refusals it meets in between. The run stops by itself on errors that every item would meet (401, 402, 403, and 404 or 405 while nothing
 * else was met), and continues past errors of one item. Give the client `pacing: true`, and a `totalTimeout` that leaves room to wait for
 * turns.
 *
 * @throws `ConfigurationError` for a wrong option; while iterating also `JournalBusyError`, `JournalCorruptError` and errors of the file
 * system, such as a full disk.
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
  const settings = {
    ...parseOptions(schema, options, { owner: 'purchaseAll' }),
    stop: new AbortController(),
  };
  return createBulkRun(run(billpay, items, settings), settings.stop);
}

const schema = optionsOf({
  journal: journalOption(),
  concurrency: z._default(wholeNumber(1), 4),
  signal: z.optional(signal()),
  onProgress: z.optional(fn<NonNullable<PurchaseAllOptions['onProgress']>>()),
  stopWhen: z.optional(fn<NonNullable<PurchaseAllOptions['stopWhen']>>()),
} satisfies OptionShape<PurchaseAllOptions>);

interface Settings extends z.output<typeof schema> {
  /** Aborted by the run itself when its caller leaves it. */
  readonly stop: AbortController;
}

/** The loop: starts purchases up to the concurrency, yields each outcome as it comes, and stops when an outcome says so. */
async function* run(
  billpay: BulkClient,
  items: Iterable<BulkItem> | AsyncIterable<BulkItem>,
  { journal: closedJournal, concurrency, onProgress, stopWhen, signal, stop }: Settings,
): AsyncGenerator<BulkOutcome, BulkSummary> {
  const journal = await closedJournal.open();
  const stopListening = onAbort(signal, () => stop.abort());
  if (signal?.aborted) stop.abort();
  const tally = createTally();
  const remaining = createRemaining();
  const underway = new Map<Task, Promise<{ task: Task; outcome: BulkOutcome }>>();
  const tasks = listTasks(journal, items, tally.skip);
  let stopped: BulkStop | undefined;
  try {
    for (;;) {
      if (stop.signal.aborted) stopped ??= { reason: 'signal' };
      while (!stopped && underway.size < concurrency) {
        const { done, value: task } = await tasks.next();
        if (done) break;
        const buying = buy(billpay, journal, task, stop.signal).then((outcome) => ({ task, outcome }));
        // The error is seen below; until then a slow source of items must not make it an unhandled one.
        buying.catch(() => {});
        underway.set(task, buying);
        if (stop.signal.aborted) break;
      }
      if (underway.size === 0) break;
      const { task, outcome } = await Promise.race(underway.values());
      underway.delete(task);
      tally.add(outcome);
      if (outcome.status === 'refused' && isFaultOfAll(outcome.error)) remaining.add(outcome.item);
      onProgress?.(tally.progress());
      stopped ??=
        stopReason(outcome, tally.allMissed()) ??
        (stopWhen?.(outcome, tally.progress()) ? { reason: 'stopWhen' } : undefined);
      yield outcome;
    }
    if (stopped && stopped.reason !== 'signal') {
      for await (const { item } of tasks) remaining.add(item);
      stopped = { ...stopped, left: remaining.totals() };
    }
    return { ...tally.progress(), unknownKeys: tally.unknownKeys, ...(stopped && { stopped }) };
  } finally {
    stop.abort();
    stopListening();
    await Promise.allSettled(underway.values());
    await tasks.return();
    await journal.close();
  }
}

/** Counts the outcomes of a run. */
function createTally() {
  const counts = { accepted: 0, refused: 0, unknown: 0, skipped: 0 };
  const spent = new Sum();
  const unknownKeys: string[] = [];
  let missed = 0;
  return {
    unknownKeys: unknownKeys as readonly string[],
    skip(): void {
      counts.skipped++;
    },
    add(outcome: BulkOutcome): void {
      counts[outcome.status]++;
      if (outcome.status === 'accepted') spent.add(chargedAmount(outcome.item, outcome.purchase));
      if (outcome.status === 'unknown' && unknownKeys.length < maxUnknownKeys) {
        unknownKeys.push(outcome.item.idempotency_key);
      }
      if (missedEndpoint(outcome)) missed++;
    },
    /** Whether every outcome so far met a 404 or 405. */
    allMissed: () => missed === counts.accepted + counts.refused + counts.unknown,
    progress: (): BulkProgress => ({ ...counts, spent: spent.total }),
  };
}

/** Adds up what was still to buy when a run stopped. */
function createRemaining() {
  let items = 0;
  const amounts = new Sum();
  return {
    add(item: BulkItem): void {
      if (itemErrors(item)) return;
      items++;
      amounts.add(askedAmount(item) ?? 0);
    },
    totals: () => ({ items, amount: amounts.total }),
  };
}
