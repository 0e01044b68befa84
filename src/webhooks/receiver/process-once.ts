import { AlreadyHandledError } from '../../errors/webhook-errors.js';
import type { DedupeStore } from '../dedupe/dedupe.js';
import type { WebhookContext, WebhookFailure } from './receiver-options.js';
import { answers, type WebhookAnswer } from './responses.js';

type Report = (error: unknown, stage: WebhookFailure['stage']) => void;

/**
 * For how many leases a claim is kept up. A handler that is still running then hangs, and its event must reach another
 * run before the service gives up delivering it.
 */
const mostLeases = 10;

/**
 * Runs a handler unless its event was handled before or is being handled. Never rejects.
 *
 * The order is what keeps money right: claim, run, mark as done, answer 2xx. A crash anywhere before the mark leaves a
 * claim that ends by itself, and the service delivers again.
 */
export async function once(
  dedupe: DedupeStore | false,
  key: string,
  handle: (context: WebhookContext) => unknown,
  report: Report,
): Promise<WebhookAnswer> {
  if (!dedupe) return (await ran(key, handle, report)) ? answers.done() : answers.failed();
  const owner = crypto.randomUUID();
  try {
    const state = await dedupe.begin(key, owner);
    if (state === 'done') return answers.done();
    if (state !== 'new') return answers.comeBack();
  } catch (error) {
    report(error, 'dedupe');
    return answers.comeBack();
  }
  const stop = keepUp(dedupe, key, owner, report);
  const succeeded = await ran(key, handle, report);
  stop();
  try {
    await (succeeded ? dedupe.done(key, owner) : dedupe.release(key, owner));
  } catch (error) {
    // The effect has happened all the same: to ask for the event again would only double it.
    report(error, 'dedupe');
  }
  return succeeded ? answers.done() : answers.failed();
}

/** Whether the handler succeeded, or found that another run had. */
async function ran(
  key: string,
  handle: (context: WebhookContext) => unknown,
  report: Report,
): Promise<boolean> {
  try {
    await handle({ key });
    return true;
  } catch (error) {
    if (error instanceof AlreadyHandledError) return true;
    report(error, 'handle');
    return false;
  }
}

/** Renews a claim while its handler runs. Returns what ends that. */
function keepUp(dedupe: DedupeStore, key: string, owner: string, report: Report): () => void {
  const { lease } = dedupe;
  if (!dedupe.renew || lease === undefined) return () => {};
  let left = mostLeases * 3;
  const timer = setInterval(async () => {
    left -= 1;
    if (left === 0) clearInterval(timer);
    try {
      if (await dedupe.renew?.(key, owner)) return;
      clearInterval(timer);
    } catch (error) {
      report(error, 'dedupe');
    }
  }, lease / 3);
  return () => clearInterval(timer);
}
