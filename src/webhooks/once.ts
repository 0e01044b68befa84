import type { WebhookEvent } from '../contract/events.js';
import type { DedupeStore, WebhookContext } from './dedupe/dedupe.js';
import { AlreadyHandledError, RetryLaterError } from './errors.js';
import type { WebhookFailure } from './receiver-options.js';
import { responses, type WebhookResponse } from './respond.js';

/** Reports a failure of one stage. Never throws. */
type ReportStage = (error: unknown, stage: WebhookFailure['stage']) => void;

type Handle = (context: WebhookContext) => unknown;

/**
 * The number of leases for which a claim is renewed. A handler that runs for longer is taken for hung, and its event must
 * reach another run before the service stops delivering it.
 */
const maxLeases = 10;

/** Renewals for each lease, so that one failed renewal does not lose the claim. */
const renewalsPerLease = 3;

/**
 * Runs a handler unless its event was handled before or is being handled. Never rejects.
 *
 * The order keeps money right: claim, run, mark as done, respond with 2xx. A crash anywhere before the mark leaves a claim
 * that expires, and the service delivers the event again.
 */
export async function processOnce(
  dedupe: DedupeStore | false,
  key: string,
  handle: Handle,
  report: ReportStage,
): Promise<WebhookResponse> {
  if (!dedupe) return runHandler(key, handle, report);
  const owner = crypto.randomUUID();
  try {
    const state = await dedupe.begin(key, owner);
    if (state === 'done') return responses.ok();
    if (state !== 'new') return responses.retryLater();
  } catch (error) {
    report(error, 'dedupe');
    return responses.retryLater();
  }
  const stopRenewal = renewLease(dedupe, key, owner, report);
  const response = await runHandler(key, handle, report);
  stopRenewal();
  try {
    await (response.status === 200 ? dedupe.done(key, owner) : dedupe.release(key, owner));
  } catch (error) {
    // The response stays the same: after an effect that has happened, another delivery would only repeat it.
    report(error, 'dedupe');
  }
  return response;
}

/** The response to one run of the handler: 200 when it succeeded or found that another run had. */
async function runHandler(key: string, handle: Handle, report: ReportStage): Promise<WebhookResponse> {
  try {
    await handle({ key });
    return responses.ok();
  } catch (error) {
    if (error instanceof AlreadyHandledError) return responses.ok();
    report(error, 'handle');
    return error instanceof RetryLaterError ? responses.retryLater() : responses.failed();
  }
}

/** Renews a claim while its handler runs. Returns a function that stops the renewal. */
function renewLease(dedupe: DedupeStore, key: string, owner: string, report: ReportStage): () => void {
  const { lease } = dedupe;
  if (!dedupe.renew || lease === undefined) return () => {};
  let remaining = maxLeases * renewalsPerLease;
  const timer = setInterval(async () => {
    remaining -= 1;
    if (remaining === 0) clearInterval(timer);
    try {
      if (await dedupe.renew?.(key, owner)) return;
      clearInterval(timer);
    } catch (error) {
      report(error, 'dedupe');
    }
  }, lease / renewalsPerLease);
  return () => clearInterval(timer);
}

/**
 * The key of an event in a de-duplication store: its name and its reference, such as `transaction.completed:TXN-1`.
 *
 * Two different events never have the same key, because a colon inside either part is escaped. Control characters and lone
 * surrogates are escaped as well: PostgreSQL refuses the former, and UTF-8 makes all of the latter equal.
 */
export const eventKey = ({ event, data }: WebhookEvent): string =>
  `${escaped(event)}:${escaped(data.reference)}`;

/** Replaces each special character by `%` and the four hex digits of its code. */
const escaped = (text: string): string =>
  text.replace(
    /[%:\p{Cc}\p{Cs}]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
