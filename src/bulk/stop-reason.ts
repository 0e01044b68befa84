import { classify } from '../errors/classify.js';
import { isBillPayError } from '../errors/index.js';
import type { BulkOutcome, BulkStop } from './bulk-run.js';

/** The reasons that an error may be about every item of the run and not about one. */
const reasons = ['wallet', 'access', 'configuration', 'endpoint'] as const;

const reasonOf = (error: unknown): (typeof reasons)[number] | undefined => {
  const kind = classify(error);
  return reasons.find((reason) => reason === kind);
};

/** Whether an error is about the account, an option or the address, and would meet other items as well. */
export const isFaultOfAll = (error: unknown): boolean => reasonOf(error) !== undefined;

/**
 * Why a run stops after an outcome; undefined when it continues. A 404 or 405 stops it only while no item has met anything else: later it
 * is about that item's product, not about the address.
 *
 * @param allMissed - whether every outcome of the run so far, this one included, met a 404 or 405.
 */
export function stopReason(outcome: BulkOutcome, allMissed: boolean): BulkStop | undefined {
  if (outcome.status === 'accepted' || !isBillPayError(outcome.error)) return undefined;
  const reason = reasonOf(outcome.error);
  if (!reason || (reason === 'endpoint' && !allMissed)) return undefined;
  return { reason, error: outcome.error };
}

/** Whether an outcome met a 404 or 405. */
export const missedEndpoint = (outcome: BulkOutcome): boolean =>
  outcome.status !== 'accepted' && reasonOf(outcome.error) === 'endpoint';
