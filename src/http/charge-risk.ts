import { type AttemptOutcome, type CallKind, codeOf, isUncharged503 } from './outcome.js';

/** Client-error statuses that leave open whether the request was carried out. */
const doubtfulStatuses = [408, 409, 425, 499];

/**
 * Whether an attempt that did not succeed may have moved money. Only what service.md promises to be uncharged
 * ("States", rule 3; "Errors") and what certainly never arrived is free of doubt.
 */
export function mayHaveCharged(kind: CallKind, outcome: AttemptOutcome): boolean {
  return kind !== 'read' && kind !== 'subscribe' && mayHaveBeenDone(outcome);
}

/** Whether the service may have carried out a request that did not succeed. */
export function mayHaveBeenDone(outcome: AttemptOutcome): boolean {
  if (outcome.kind === 'failure') return outcome.mayHaveArrived;
  const { status } = outcome;
  if (status < 400) return true;
  if (status >= 500) return !isUncharged503(status, codeOf(outcome.json));
  return doubtfulStatuses.includes(status);
}
