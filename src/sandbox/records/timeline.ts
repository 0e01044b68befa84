import type { SandboxDelivery } from './delivery.js';
import type { SandboxRequest, SandboxTransaction, TimelineEntry } from './objects.js';

/** What stands first of all that happened in one millisecond. */
type Ranked = TimelineEntry & { readonly rank: number };

/** Everything that happened to a transaction, oldest first, from the requests about it, its wallet entries and its delivery. */
export function timelineOf(
  transaction: SandboxTransaction,
  requests: readonly SandboxRequest[],
  delivery: SandboxDelivery | undefined,
): readonly TimelineEntry[] {
  const { amount, acceptedAt, settledAt, status, refunded } = transaction;
  const entries: Ranked[] = requests.map((request) => ({
    at: request.at,
    kind: 'request',
    text: requestText(request),
    requestId: request.id,
    rank: requestRank(request),
  }));
  entries.push({ at: acceptedAt, kind: 'wallet', text: `debited ${amount} NGN`, rank: 1 });
  if (settledAt) {
    entries.push({ at: settledAt, kind: 'settlement', text: `settled as ${status}`, rank: 3 });
    if (refunded) entries.push({ at: settledAt, kind: 'wallet', text: `refunded ${amount} NGN`, rank: 4 });
  }
  for (const { at, number: attempt, reason, status: replied, error } of delivery?.attempts ?? []) {
    const end = replied === undefined ? (error ?? 'no response') : `response ${replied}`;
    entries.push({
      at,
      kind: 'delivery',
      text: `${delivery?.event} sent (${reason}), ${end}`,
      attempt,
      rank: 5,
    });
  }
  return entries
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.rank - b.rank)
    .map(({ rank: _, ...entry }) => entry);
}

/** The purchase that was accepted stands before its debit; what repeats it or asks for it, after. */
function requestRank({ operation, replayed, response }: SandboxRequest): number {
  if (operation !== 'transactions.status') return replayed ? 2 : 0;
  return /"transaction_status":"pending"/.test(JSON.stringify(response?.body) ?? '') ? 2 : 6;
}

function requestText({ operation, reference, replayed, outcome, response }: SandboxRequest): string {
  const bought = reference === undefined ? 'refused' : 'accepted';
  const what = operation === 'transactions.status' ? 'status check' : replayed ? 'repeated' : bought;
  return `${what}, ${outcome === 'complete' ? `response ${response?.status}` : 'the response was lost'}`;
}
