import { type BulkItem, fingerprint, itemErrors } from './item.js';
import type { OpenJournal } from './journal.js';

/** An item to buy. */
export interface Task {
  readonly item: BulkItem;
  /** An earlier run had begun it, and it is unknown whether it was charged. */
  readonly resumed: boolean;
}

/** Lists what to buy: first what earlier runs left open, then the new items. Items that are finished are skipped. */
export async function* listTasks(
  journal: OpenJournal,
  items: Iterable<BulkItem> | AsyncIterable<BulkItem>,
  onSkip: () => void,
): AsyncGenerator<Task, void> {
  const resumedKeys = new Set<string>();
  for await (const item of journal.unfinished()) {
    // An item that was begun again is listed twice; it is resumed once.
    if (resumedKeys.has(item.idempotency_key)) continue;
    resumedKeys.add(item.idempotency_key);
    yield { item, resumed: true };
  }
  for await (const item of items) {
    const known = itemErrors(item) ? undefined : journal.find(item.idempotency_key);
    const isFinished = known && known.state !== 'deferred' && known.fingerprint === fingerprint(item);
    if (!isFinished) yield { item, resumed: false };
    else if (!resumedKeys.delete(item.idempotency_key)) onSkip();
  }
}
