import type { SandboxDelivery } from '../deliveries/delivery.js';
import type { Sandbox } from '../types.js';
import { clockView } from './views.js';

/** How many there are of everything, the next retry of a webhook, the audit and the clock: what is in sight on every tab of the page. */
export function summaryView(sandbox: Sandbox) {
  const states = { pending: 0, success: 0, failed: 0 };
  const buyers = new Set<string>();
  for (const { status, clientId } of sandbox.transactions) {
    states[status] += 1;
    buyers.add(clientId);
  }
  let [pending, failing] = [0, 0];
  let next: SandboxDelivery | undefined;
  for (const delivery of sandbox.deliveries) {
    if (delivery.state === 'pending') pending += 1;
    if (delivery.attempts.at(-1)?.delivered === false) failing += 1;
    const { nextAttemptAt } = delivery;
    if (nextAttemptAt && !(next?.nextAttemptAt && next.nextAttemptAt <= nextAttemptAt)) next = delivery;
  }
  return {
    transactions: { total: sandbox.transactions.length, ...states },
    deliveries: { total: sandbox.deliveries.length, pending, failing },
    next_retry: next?.nextAttemptAt
      ? { delivery_id: next.id, reference: next.reference, at: next.nextAttemptAt }
      : null,
    requests: sandbox.requests.length,
    clients: buyers.size,
    faults: sandbox.faults.active.length,
    audit: sandbox.audit(),
    clock: clockView(sandbox),
  };
}
