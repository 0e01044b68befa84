import type { SandboxDelivery, SandboxDeliveryAttempt } from './deliveries.js';
import type { SandboxRequest } from './requests.js';
import type { SandboxTransaction } from './transactions.js';
import type { LedgerEntry } from './wallet.js';

/** One thing that happened to a transaction. */
export interface TimelineEntry {
  /** When, by the sandbox's clock. */
  readonly at: Date;
  /** What, by kind: a request with its key, a movement of the wallet, its settlement, a webhook that was sent. */
  readonly kind: 'request' | 'wallet' | 'settlement' | 'delivery';
  /** What, in a short sentence. */
  readonly text: string;
}

/** Where a transaction has left its traces. */
export interface Traces {
  readonly requests: readonly SandboxRequest[];
  readonly ledger: readonly LedgerEntry[];
  readonly deliveries: readonly SandboxDelivery[];
}

/** Everything that happened to a transaction, oldest first. */
export function timelineOf(transaction: SandboxTransaction, traces: Traces): readonly TimelineEntry[] {
  const { reference, status, completed_at } = transaction;
  const entries: TimelineEntry[] = [];
  for (const entry of traces.ledger) {
    if (entry.reference !== reference) continue;
    const text = `${entry.kind === 'debit' ? 'debited' : 'refunded'} ${entry.amount} NGN`;
    entries.push({ at: entry.at, kind: 'wallet', text });
  }
  for (const request of traces.requests) {
    if (request.reference === reference) entries.push(requestEntry(request));
  }
  if (completed_at !== undefined) {
    entries.push({ at: new Date(`${completed_at}Z`), kind: 'settlement', text: `settled as ${status}` });
  }
  for (const delivery of traces.deliveries) {
    if (delivery.reference !== reference) continue;
    for (const attempt of delivery.attempts) entries.push(deliveryEntry(delivery, attempt));
  }
  return entries.sort((a, b) => seconds(a.at) - seconds(b.at));
}

/** Settlement is known to the second only; within one, the order of `timelineOf` tells the story. */
const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

function requestEntry(request: SandboxRequest): TimelineEntry {
  const how =
    request.operation === 'transactions.status' ? 'looked up' : request.replayed ? 'repeated' : 'accepted';
  const answer =
    request.outcome === 'answered' ? `answered ${request.answer?.status}` : 'the answer was lost';
  return { at: request.at, kind: 'request', text: `${how}, ${answer}` };
}

function deliveryEntry(delivery: SandboxDelivery, attempt: SandboxDeliveryAttempt): TimelineEntry {
  const answer = attempt.status === undefined ? (attempt.error ?? 'no answer') : `answered ${attempt.status}`;
  return { at: attempt.at, kind: 'delivery', text: `${delivery.event} sent (${attempt.reason}), ${answer}` };
}
