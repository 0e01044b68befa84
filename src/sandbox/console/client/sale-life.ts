import type { Attempt, LoggedRequest, SaleDetail } from './resources.js';

type TimelineEntry = SaleDetail['timeline'][number];

/** One step in the life of a sale, with the request or the delivery attempt behind it where it is known. */
export interface SaleStep {
  readonly at: string;
  readonly kind: TimelineEntry['kind'];
  readonly text: string;
  readonly request?: LoggedRequest | undefined;
  readonly attempt?: Attempt | undefined;
}

/**
 * A sale's life in one line of time. The timeline gives the order, in which things happened that share one millisecond. The
 * sale's requests and delivery attempts are in the same order, but the log may have lost the oldest requests, so both are matched
 * from the end. Requests under the key that were refused are no part of the timeline and are put in by their time.
 */
export function lifeOf({ timeline, requests, delivery, reference }: SaleDetail): readonly SaleStep[] {
  const served = requests.filter((request) => request.reference === reference);
  const attempts = delivery?.attempts ?? [];
  const nextRequest = matcher(served, timeline, 'request');
  const nextAttempt = matcher(attempts, timeline, 'delivery');
  const steps: SaleStep[] = timeline.map(({ at, kind, text }) => {
    if (kind === 'request') return { at, kind, text, request: nextRequest() };
    if (kind === 'delivery') return { at, kind, text, attempt: nextAttempt() };
    return { at, kind, text };
  });
  for (const request of requests) {
    if (request.reference === reference) continue;
    const step: SaleStep = { at: request.at, kind: 'request', text: 'refused', request };
    const after = steps.findIndex(({ at }) => Date.parse(at) >= Date.parse(request.at));
    steps.splice(after < 0 ? steps.length : after, 0, step);
  }
  return steps;
}

/** Hands out the items that belong to the entries of a kind, one at each call, matched from the end. */
function matcher<T>(
  items: readonly T[],
  timeline: readonly TimelineEntry[],
  kind: TimelineEntry['kind'],
): () => T | undefined {
  let at = items.length - timeline.filter((entry) => entry.kind === kind).length;
  return () => {
    const item = items[at];
    at += 1;
    return item;
  };
}
