import type { SandboxActivity } from '../records/activity.js';
import type { Sandbox } from '../types.js';
import type { SendEvent } from './event-stream.js';
import { summaryView } from './summary.js';
import { attemptView, deliveryView, faultView, ledgerView, requestView, transactionView } from './views.js';

/** At least so much time lies between two summaries, in ms. */
const summaryMs = 500;

interface StreamOptions {
  /** Only what is of this client, or of none. */
  readonly clientId: string | undefined;
  /** Whether summaries are sent, too. */
  readonly withSummary: boolean;
}

/** The transaction as it is now, so that a reader need not ask for it. */
function transactionOf(sandbox: Sandbox, reference: string | undefined) {
  const transaction = reference === undefined ? undefined : sandbox.transaction(reference);
  return transaction ? { transaction: transactionView(sandbox, transaction) } : {};
}

/** An activity as JSON, with the client that it belongs to, for the client filter. */
function eventData(
  sandbox: Sandbox,
  activity: SandboxActivity,
): {
  readonly clientId?: string | undefined;
  readonly data: object;
} {
  switch (activity.type) {
    case 'request': {
      const { request } = activity;
      const data = { request: requestView(request), ...transactionOf(sandbox, request.reference) };
      return { clientId: request.clientId, data };
    }
    case 'transaction': {
      const { change, transaction } = activity;
      return {
        clientId: transaction.clientId,
        data: { change, transaction: transactionView(sandbox, transaction) },
      };
    }
    case 'wallet':
      return {
        clientId: activity.clientId,
        data: { client_id: activity.clientId, entry: ledgerView(activity.entry) },
      };
    case 'subscription': {
      const { clientId, url, enabled } = activity;
      return { clientId, data: { client_id: clientId, url, enabled } };
    }
    case 'event':
      return {
        clientId: activity.delivery.clientId,
        data: {
          delivery: deliveryView(sandbox, activity.delivery),
          ...transactionOf(sandbox, activity.delivery.reference),
        },
      };
    case 'delivery': {
      const { delivery, attempt } = activity;
      return {
        clientId: delivery.clientId,
        data: {
          delivery: deliveryView(sandbox, delivery),
          attempt: attemptView(attempt),
          ...transactionOf(sandbox, delivery.reference),
        },
      };
    }
    case 'fault':
      return { data: { change: activity.change, fault: faultView(activity.fault) } };
    case 'client':
      return { clientId: activity.clientId, data: { client_id: activity.clientId } };
    case 'price':
      return { data: activity.price };
    case 'clock':
      return { data: { now: activity.now } };
    case 'reset':
      return { data: {} };
  }
}

/** Sends what happens from now on; returns what ends that. */
export function sendActivities(
  sandbox: Sandbox,
  send: SendEvent,
  { clientId, withSummary }: StreamOptions,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sendSummary = () => {
    timer = undefined;
    send('summary', { type: 'summary', summary: summaryView(sandbox) });
  };
  const stop = sandbox.onActivity((activity) => {
    if (withSummary) timer ??= setTimeout(sendSummary, summaryMs);
    const { clientId: owner, data } = eventData(sandbox, activity);
    if (clientId !== undefined && owner !== undefined && owner !== clientId) return;
    const { id, type, at } = activity;
    send(type, { id, type, at, ...data }, id);
  });
  if (withSummary) sendSummary();
  return () => {
    stop();
    clearTimeout(timer);
  };
}
