import type { SandboxDelivery, SandboxDeliveryAttempt } from './delivery.js';
import type { SandboxRequest } from './request-log.js';
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
export interface TransactionRecords {
  readonly requests: readonly SandboxRequest[];
  readonly ledger: readonly LedgerEntry[];
  readonly deliveries: readonly SandboxDelivery[];
}

/** Everything that happened to a transaction, oldest first. */
export function timelineOf(
  transaction: SandboxTransaction,
  traces: TransactionRecords,
): readonly TimelineEntry[] {
  const { reference, status, settledAt } = transaction;
  const wallet = traces.ledger.filter((entry) => entry.reference === reference).map(walletEntry);
  const requests = traces.requests.filter((request) => request.reference === reference).map(requestEntry);
  const settlement: TimelineEntry[] = settledAt
    ? [{ at: settledAt, kind: 'settlement', text: `settled as ${status}` }]
    : [];
  const deliveries = traces.deliveries
    .filter((delivery) => delivery.reference === reference)
    .flatMap((delivery) => delivery.attempts.map((attempt) => deliveryEntry(delivery, attempt)));

  const [debit, refund] = [wallet.slice(0, 1), wallet.slice(1)];
  // The order here tells the story where several things bear the same time.
  return [...debit, ...requests, ...settlement, ...refund, ...deliveries].sort(
    (a, b) => a.at.getTime() - b.at.getTime(),
  );
}

const walletEntry = (entry: LedgerEntry): TimelineEntry => ({
  at: entry.at,
  kind: 'wallet',
  text: `${entry.kind === 'debit' ? 'debited' : 'refunded'} ${entry.amount} NGN`,
});

function requestEntry(request: SandboxRequest): TimelineEntry {
  const how =
    request.operation === 'transactions.status' ? 'looked up' : request.replayed ? 'repeated' : 'accepted';
  const response =
    request.outcome === 'complete' ? `answered ${request.response?.status}` : 'the response was lost';
  return { at: request.at, kind: 'request', text: `${how}, ${response}` };
}

function deliveryEntry(delivery: SandboxDelivery, attempt: SandboxDeliveryAttempt): TimelineEntry {
  const response =
    attempt.status === undefined ? (attempt.error ?? 'no response') : `answered ${attempt.status}`;
  return {
    at: attempt.at,
    kind: 'delivery',
    text: `${delivery.event} sent (${attempt.reason}), ${response}`,
  };
}
