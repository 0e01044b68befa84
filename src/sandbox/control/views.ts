import type { SandboxDelivery, SandboxDeliveryAttempt } from '../deliveries/delivery.js';
import type { FaultOptions } from '../lab/fault-options.js';
import type { ActiveFault } from '../lab/faults.js';
import type { SandboxRequest } from '../records/request-log.js';
import type { TimelineEntry } from '../records/timeline.js';
import { commissionOn, type SandboxTransaction } from '../rules/transactions.js';
import type { LedgerEntry } from '../rules/wallet.js';
import type { Sandbox, SandboxClient } from '../types.js';

/** The resources of the control API as JSON. Names are those of the service's own API where it has one. */

/** Every field but the token, which is worth money to whoever reads it: it is in the transaction's details only. */
export function transactionView(sandbox: Sandbox, transaction: SandboxTransaction) {
  const { reference } = transaction;
  const delivery = sandbox.deliveryOf(reference);
  const purchases = sandbox.requestsOf(reference).filter(({ operation }) => operation?.endsWith('.purchase'));
  return {
    reference,
    client_id: transaction.clientId,
    operation: transaction.operation,
    product: transaction.product,
    biller: transaction.biller,
    recipient: transaction.recipient,
    product_code: transaction.product_code ?? null,
    quantity: transaction.quantity,
    meter_type: transaction.meter_type ?? null,
    idempotency_key: transaction.idempotency_key,
    amount: transaction.amount,
    commission: commissionOn(transaction),
    state: transaction.status,
    refunded: transaction.refunded,
    has_token: transaction.token !== null,
    created_at: transaction.created_at,
    updated_at: transaction.updated_at,
    completed_at: transaction.completed_at ?? null,
    settles_at: transaction.settlesAt ?? null,
    // Its first entry is the debit, whose time has milliseconds.
    accepted_at: sandbox.timeline(reference)[0]?.at ?? null,
    requests_sent: purchases.length,
    delivery: delivery ? deliveryState(delivery) : null,
  };
}

export const timelineView = ({ sequence, at, kind, text, requestId, attempt }: TimelineEntry) => ({
  sequence,
  at,
  kind,
  text,
  request_id: requestId ?? null,
  attempt: attempt ?? null,
});

export function transactionDetail(sandbox: Sandbox, transaction: SandboxTransaction) {
  const { reference } = transaction;
  const delivery = sandbox.deliveryOf(reference);
  return {
    ...transactionView(sandbox, transaction),
    token: transaction.token,
    timeline: sandbox.timeline(reference).map(timelineView),
    requests: sandbox.requestsOf(reference).map(requestView),
    delivery: delivery ? deliveryDetail(sandbox, delivery) : null,
  };
}

/** How far a delivery has come. */
function deliveryState(delivery: SandboxDelivery) {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.id,
    event: delivery.event,
    state: delivery.state,
    at: delivery.at,
    attempts: delivery.attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    last_reply: last?.reply ?? null,
    last_url: last?.url ?? null,
    last_delivered: last?.delivered ?? null,
    next_attempt_at: delivery.nextAttemptAt ?? null,
  };
}

/** A delivery with what its transaction sold. */
export function deliveryView(sandbox: Sandbox, delivery: SandboxDelivery) {
  const transaction = sandbox.transaction(delivery.reference);
  return {
    ...deliveryState(delivery),
    client_id: delivery.clientId,
    reference: delivery.reference,
    product: transaction?.product ?? null,
    biller: transaction?.biller ?? null,
    recipient: transaction?.recipient ?? null,
    amount: transaction?.amount ?? null,
  };
}

export const attemptView = (attempt: SandboxDeliveryAttempt) => ({
  number: attempt.number,
  at: attempt.at,
  reason: attempt.reason,
  url: attempt.url,
  headers: attempt.headers,
  corruption: attempt.corruption ?? null,
  status: attempt.status ?? null,
  error: attempt.error ?? null,
  reply: attempt.reply ?? null,
  delivered: attempt.delivered,
  duration_ms: attempt.durationMs,
});

export const deliveryDetail = (sandbox: Sandbox, delivery: SandboxDelivery) => ({
  ...deliveryView(sandbox, delivery),
  body: delivery.body,
  attempts: delivery.attempts.map(attemptView),
});

export const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? new Map(Object.entries(body)).get(name) : undefined;

export function requestView(request: SandboxRequest) {
  const { response, body } = request;
  return {
    id: request.id,
    at: request.at,
    ip: request.ip,
    method: request.method,
    path: request.path,
    operation: request.operation ?? null,
    client_id: request.clientId ?? null,
    biller: fieldOf(body, 'biller') ?? request.query['biller'] ?? null,
    recipient: fieldOf(body, 'recipient') ?? null,
    amount: fieldOf(body, 'amount') ?? fieldOf(fieldOf(response?.body, 'data'), 'amount') ?? null,
    idempotency_key: request.idempotency_key ?? null,
    reference: request.reference ?? null,
    replayed: request.replayed,
    status: response?.status ?? null,
    code: fieldOf(response?.body, 'code') ?? null,
    outcome: request.outcome,
    fault: request.fault ? faultOptionsView(request.fault) : null,
    warnings: request.warnings,
    duration_ms: request.durationMs,
  };
}

export const requestDetail = (request: SandboxRequest) => ({
  ...requestView(request),
  query: request.query,
  headers: request.headers,
  body: request.body ?? null,
  response: request.response ?? null,
});

export const ledgerView = (entry: LedgerEntry) => ({
  kind: entry.kind,
  amount: entry.amount,
  balance: entry.balance,
  idempotency_key: entry.idempotency_key ?? null,
  reference: entry.reference ?? null,
  at: entry.at,
});

export function clientView(sandbox: Sandbox, client: SandboxClient) {
  return {
    client_id: client.clientId,
    secret_key: client.secretKey,
    public_key: client.publicKey,
    verified: client.verified,
    suspended: client.suspended,
    allowed_ips: client.allowedIps,
    balance: sandbox.wallet(client.clientId).balance,
    subscription: client.subscription ?? null,
  };
}

export const walletView = (sandbox: Sandbox, clientId: string) => {
  const { balance, ledger } = sandbox.wallet(clientId);
  return { client_id: clientId, balance, entries: ledger.length };
};

/** JSON has no Infinity: a fault that stays until it is removed has `times: "always"`. */
const timesView = (times: number): number | 'always' =>
  times === Number.POSITIVE_INFINITY ? 'always' : times;

export const faultOptionsView = (options: FaultOptions) => ({
  ...options,
  ...(options.times === undefined ? {} : { times: timesView(options.times) }),
});

export const faultView = (fault: ActiveFault) => ({
  id: fault.id,
  ...faultOptionsView(fault.options),
  remaining: timesView(fault.remaining),
  used: fault.used,
});

export const clockView = (sandbox: Sandbox) => ({
  kind: sandbox.clock,
  now: sandbox.now,
  next_event_at: sandbox.nextEvent ?? null,
});
