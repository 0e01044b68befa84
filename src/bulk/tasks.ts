import { checkPurchaseItem } from '../contract/purchase-item.js';
import type { FieldErrors } from '../contract/read-params.js';
import { type BulkItem, fingerprint } from './item.js';
import type { OpenJournal } from './journal.js';

/** An item to buy. */
export interface Task {
  /** A copy where the item can be sent: a source may use one object for all of its rows. */
  readonly item: BulkItem;
  /** The problem of each wrong field; undefined where the item can be sent. */
  readonly errors: FieldErrors | undefined;
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
    yield taskOf(item, true);
  }
  for await (const given of items) {
    const task = taskOf(given, false);
    if (!isFinished(task, journal)) yield task;
    else if (!resumedKeys.delete(task.item.idempotency_key)) onSkip();
  }
}

function taskOf(given: BulkItem, resumed: boolean): Task {
  const checked = checkPurchaseItem(given);
  return checked.ok
    ? { item: checked.item, errors: undefined, resumed }
    : { item: given, errors: checked.errors, resumed };
}

function isFinished({ item, errors }: Task, journal: OpenJournal): boolean {
  const known = errors ? undefined : journal.find(item.idempotency_key);
  return known !== undefined && known.state !== 'deferred' && known.fingerprint === fingerprint(item);
}
