import { textOfErrors } from '../contract/read-params.js';
import type { Purchase } from '../contract/responses.js';
import { ValidationError } from '../errors/api-errors.js';
import { type BillPayError, isBillPayError } from '../errors/index.js';
import { nextStep } from '../errors/next-step.js';
import { nameOfThrown } from '../utils/is-error.js';
import { chargedAmount } from './amounts.js';
import type { BulkOutcome } from './bulk-run.js';
import { type BulkClient, fingerprint } from './item.js';
import type { OpenJournal } from './journal.js';
import { isFaultOfAll } from './stop-reason.js';
import type { Task } from './tasks.js';

/** Buys one item: writes it down, sends it, writes its outcome down. Rejects only when the journal does. */
export async function buy(
  billpay: BulkClient,
  journal: OpenJournal,
  task: Task,
  signal: AbortSignal,
): Promise<BulkOutcome> {
  const { item, resumed } = task;
  const problem = localRefusal(task, journal);
  if (problem) return { status: 'refused', item, error: problem, resumed };
  if (!resumed) await journal.begin(item);
  const key = item.idempotency_key;
  let bought: Purchase;
  try {
    bought = await billpay.purchase(item, { signal, resume: resumed });
  } catch (error) {
    const state = stateAfter(error, resumed);
    await journal.end({ state, key, error: nameOfThrown(error) });
    // Only errors of this package prove that nothing was charged; any other leaves the state unknown.
    if (state === 'unknown' || !isBillPayError(error)) return { status: 'unknown', item, error, resumed };
    return { status: 'refused', item, error, resumed };
  }
  // A response may hold anything; what is written must be readable.
  const reference = String(bought.reference);
  await journal.end({ state: 'accepted', key, reference, amount: chargedAmount(item, bought) });
  return { status: 'accepted', item, purchase: bought, resumed };
}

/**
 * The state of an item whose purchase threw. Only an accepted response ends the doubt about a resumed item: a refusal says nothing about the
 * request of an earlier run. An error that would meet other items as well says nothing against this one, so a later run tries again.
 */
export function stateAfter(error: unknown, resumed: boolean): 'unknown' | 'deferred' | 'refused' {
  if (resumed) return 'unknown';
  switch (nextStep(error).action) {
    case 'resume':
    case 'review':
      return 'unknown';
    case 'retry':
    case 'hold':
      return 'deferred';
    case 'stop':
      return isFaultOfAll(error) ? 'deferred' : 'refused';
  }
}

/** What is wrong with an item before anything is written or sent. */
function localRefusal({ item, errors, resumed }: Task, journal: OpenJournal): BillPayError | undefined {
  if (errors) {
    return new ValidationError(`The item was not sent: ${textOfErrors(errors)}.`, { errors });
  }
  const known = journal.find(item.idempotency_key);
  if (resumed || !known || known.fingerprint === fingerprint(item)) return undefined;
  const text = 'is in the journal with other parameters; a changed item needs a key of its own';
  return new ValidationError(`The item was not sent: idempotency_key '${item.idempotency_key}' ${text}.`, {
    idempotencyKey: item.idempotency_key,
    errors: { idempotency_key: text },
  });
}
