import type { Attempt, LoggedRequest, TransactionDetail } from './resources.js';

type TimelineEntry = TransactionDetail['timeline'][number];

/** One step of a timeline, with the request or the attempt behind it. */
export interface TransactionStep {
  readonly at: string;
  readonly kind: TimelineEntry['kind'];
  /** As the control API words it. */
  readonly text: string;
  readonly request?: LoggedRequest | undefined;
  readonly attempt?: Attempt | undefined;
}

/**
 * What happened to a transaction, in order. The timeline has the order of things that share one millisecond; a request is recorded when it
 * ends, and put where it arrived: before the debit that it caused. Requests under the key that were refused are no part of the
 * timeline and are put in by their time.
 */
export function lifeOf({ timeline, requests, delivery }: TransactionDetail): readonly TransactionStep[] {
  const requestById = new Map(requests.map((request) => [request.id, request]));
  const attemptByNumber = new Map(delivery?.attempts.map((attempt) => [attempt.number, attempt]));
  const steps: TransactionStep[] = [];
  for (const { at, kind, text, request_id, attempt } of timeline) {
    const request = requestById.get(request_id ?? -1);
    requestById.delete(request_id ?? -1);
    const step = { at, kind, text, request, attempt: attemptByNumber.get(attempt ?? -1) };
    const isCause = request && !request.replayed && request.operation?.endsWith('.purchase');
    if (isCause) steps.unshift({ ...step, at: request.at });
    else steps.push(step);
  }
  // Those that are left belong to the key alone.
  for (const request of requestById.values()) {
    const step: TransactionStep = { at: request.at, kind: 'request', text: 'refused', request };
    const after = steps.findIndex(
      ({ at, request: other }) =>
        Date.parse(at) > Date.parse(request.at) || (other !== undefined && other.id > request.id),
    );
    steps.splice(after < 0 ? steps.length : after, 0, step);
  }
  return steps;
}
