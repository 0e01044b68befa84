import type { ServerResponse } from 'node:http';
import type { SandboxActivity } from '../records/activity.js';
import type { Sandbox } from '../types.js';
import { summaryView } from './summary.js';
import { attemptView, deliveryView, faultView, ledgerView, requestView, transactionView } from './views.js';

/** How often a comment keeps an idle connection open, in ms. */
export const heartbeatMs = 15_000;

/** How soon a client tries again after a broken connection, in ms. */
const reconnectMs = 1000;

/** At least so much time lies between two summaries, in ms. */
const summaryMs = 500;

interface StreamOptions {
  /** Only what is of this client, or of none. */
  readonly clientId: string | undefined;
  /** Whether summaries are sent, too. */
  readonly withSummary: boolean;
}

/** The transaction as it is now, so that a reader need not ask for it. */
function saleOf(sandbox: Sandbox, reference: string | undefined) {
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
      const data = { request: requestView(request), ...saleOf(sandbox, request.reference) };
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
          ...saleOf(sandbox, activity.delivery.reference),
        },
      };
    case 'delivery': {
      const { delivery, attempt } = activity;
      return {
        clientId: delivery.clientId,
        data: {
          delivery: deliveryView(sandbox, delivery),
          attempt: attemptView(attempt),
          ...saleOf(sandbox, delivery.reference),
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

/** One server-sent event. */
function eventText(activity: SandboxActivity, data: object): string {
  const { id, type, at } = activity;
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, at, ...data })}\n\n`;
}

/**
 * Sends what happens from now on as server-sent events, until the client disconnects; nothing is sent while nothing happens but a
 * comment every 15 seconds. A client that reads too slowly misses events and gets one `missed` event instead, so that it can read
 * the lists again.
 */
export function streamEvents(
  sandbox: Sandbox,
  response: ServerResponse,
  { clientId, withSummary }: StreamOptions,
): void {
  let blocked = false;
  let missed = 0;

  const write = (text: string) => {
    if (!response.write(text)) blocked = true;
  };
  let summaryTimer: ReturnType<typeof setTimeout> | undefined;
  const writeSummary = () => {
    summaryTimer = undefined;
    if (blocked) summarySoon();
    else
      write(
        `event: summary\ndata: ${JSON.stringify({ type: 'summary', summary: summaryView(sandbox) })}\n\n`,
      );
  };
  const summarySoon = () => {
    summaryTimer ??= setTimeout(writeSummary, summaryMs);
  };
  const stop = sandbox.onActivity((activity) => {
    if (withSummary) summarySoon();
    if (blocked) {
      missed += 1;
      return;
    }
    const { clientId: owner, data } = eventData(sandbox, activity);
    if (clientId === undefined || owner === undefined || owner === clientId) write(eventText(activity, data));
  });
  response.on('drain', () => {
    blocked = false;
    if (missed === 0) return;
    const count = missed;
    missed = 0;
    write(`event: missed\ndata: ${JSON.stringify({ type: 'missed', count })}\n\n`);
  });
  const heartbeat = setInterval(() => {
    if (!blocked) write(': still here\n\n');
  }, heartbeatMs);
  response.on('close', () => {
    stop();
    clearTimeout(summaryTimer);
    clearInterval(heartbeat);
  });
  write(`retry: ${reconnectMs}\n\n`);
  if (withSummary) writeSummary();
}
