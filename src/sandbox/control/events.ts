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

/** An activity as JSON. Where it concerns a transaction, that is in it as it is now, so that a reader need not ask for it. */
function eventData(sandbox: Sandbox, activity: SandboxActivity): object {
  const transactionOf = (reference: string | undefined) => {
    const transaction = reference === undefined ? undefined : sandbox.transaction(reference);
    return transaction && { transaction: transactionView(sandbox, transaction) };
  };
  switch (activity.type) {
    case 'request': {
      const { request } = activity;
      return { request: requestView(request), ...transactionOf(request.reference) };
    }
    case 'transaction':
      return { change: activity.change, transaction: transactionView(sandbox, activity.transaction) };
    case 'wallet':
      return { client_id: activity.clientId, entry: ledgerView(activity.entry) };
    case 'subscription':
      return { client_id: activity.clientId, url: activity.url, enabled: activity.enabled };
    case 'event':
    case 'delivery': {
      const { delivery } = activity;
      return {
        delivery: deliveryView(sandbox, delivery),
        ...(activity.type === 'delivery' && { attempt: attemptView(activity.attempt) }),
        ...transactionOf(delivery.reference),
      };
    }
    case 'fault':
      return { change: activity.change, fault: faultView(activity.fault) };
    case 'client':
      return { client_id: activity.clientId };
    case 'price':
      return activity.price;
    case 'clock':
      return { now: activity.now };
    case 'reset':
      return {};
  }
}

/** The client that an activity belongs to. */
function clientOf(activity: SandboxActivity): string | undefined {
  if ('clientId' in activity) return activity.clientId;
  if ('request' in activity) return activity.request.clientId;
  if ('transaction' in activity) return activity.transaction.clientId;
  return 'delivery' in activity ? activity.delivery.clientId : undefined;
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
    const owner = clientOf(activity);
    if (clientId !== undefined && owner !== undefined && owner !== clientId) return;
    const { id, type, at } = activity;
    send(type, { id, type, at, ...eventData(sandbox, activity) }, id);
  });
  if (withSummary) sendSummary();
  return () => {
    stop();
    clearTimeout(timer);
  };
}
