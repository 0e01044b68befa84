import type * as z from 'zod/mini';
import type { SandboxDelivery, SandboxDeliveryAttempt } from '../deliveries/delivery.js';
import type { FaultOptions } from '../lab/fault-options.js';
import type { ActiveFault } from '../lab/faults.js';
import type { SandboxRequest } from '../records/request-log.js';
import type { TimelineEntry } from '../records/timeline.js';
import { commissionOn, type SandboxTransaction } from '../rules/transactions.js';
import type { LedgerEntry } from '../rules/wallet.js';
import type { Sandbox, SandboxClient } from '../types.js';
import * as resources from './resources.js';

/** The resources of the control API, made of what the sandbox holds. */

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The name of a field in its source: the same one, or that in camel case. */
type NameIn<Source, Name extends string> = Extract<keyof Source, Name | CamelCase<Name>>;

/** The fields that a source lacks, or has as something else. */
type Lacking<Out, Source> = {
  readonly [Name in keyof Out & string as [NameIn<Source, Name>] extends [never]
    ? Name
    : Source[NameIn<Source, Name>] extends Out[Name] | (null extends Out[Name] ? undefined : never)
      ? never
      : Name]: Out[Name];
};

const camelCase = (name: string): string =>
  name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Returns what makes the view of a resource: its fields, and no others, those of `own` first and the rest from a source, where they may have
 * names in camel case. What is undefined becomes null, because JSON has no undefined.
 */
function viewer<Out extends object>({ shape }: z.ZodMiniType<Out> & { readonly shape: object }) {
  const names = Object.keys(shape).map((name) => [name, camelCase(name)] as const);
  return <Source extends object>(source: Source, own: Lacking<Out, Source>): Out => {
    const view: Record<string, unknown> = {};
    for (const [name, other] of names) {
      const [from, key] = name in own ? [own, name] : [source, name in source ? name : other];
      view[name] = Reflect.get(from, key) ?? null;
    }
    // The type of `own` holds that each field is found with its type.
    return view as Out;
  };
}

const view = {
  attempt: viewer(resources.attempt),
  client: viewer(resources.client),
  delivery: viewer(resources.delivery),
  deliveryState: viewer(resources.deliveryState),
  ledgerEntry: viewer(resources.ledgerEntry),
  request: viewer(resources.request),
  requestDetail: viewer(resources.requestDetail),
  timelineEntry: viewer(resources.timelineEntry),
  transaction: viewer(resources.transaction),
};

export function transactionView(sandbox: Sandbox, transaction: SandboxTransaction) {
  const { reference } = transaction;
  const delivery = sandbox.deliveryOf(reference);
  const purchases = sandbox.requestsOf(reference).filter(({ operation }) => operation?.endsWith('.purchase'));
  return view.transaction(transaction, {
    commission: commissionOn(transaction),
    state: transaction.status,
    has_token: transaction.token !== null,
    // Its first entry is the debit, whose time has milliseconds.
    accepted_at: sandbox.timeline(reference)[0]?.at ?? null,
    requests_sent: purchases.length,
    delivery: delivery ? deliveryState(delivery) : null,
  });
}

export const timelineView = (entry: TimelineEntry) => view.timelineEntry(entry, {});

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
  return view.deliveryState(delivery, {
    attempts: delivery.attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    last_reply: last?.reply ?? null,
    last_url: last?.url ?? null,
    last_delivered: last?.delivered ?? null,
  });
}

/** A delivery with what its transaction sold. */
export function deliveryView(sandbox: Sandbox, delivery: SandboxDelivery) {
  const { clientId: client_id, reference } = delivery;
  const sold: Partial<SandboxTransaction> = sandbox.transaction(reference) ?? {};
  return view.delivery(sold, { ...deliveryState(delivery), client_id, reference });
}

export const attemptView = (attempt: SandboxDeliveryAttempt) => view.attempt(attempt, {});

export const deliveryDetail = (sandbox: Sandbox, delivery: SandboxDelivery) => ({
  ...deliveryView(sandbox, delivery),
  body: delivery.body,
  attempts: delivery.attempts.map(attemptView),
});

export const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? new Map(Object.entries(body)).get(name) : undefined;

/** What a request bought, and how it ended, without looking into its body and its response. */
function requestFacts({ body, query, response, fault }: SandboxRequest) {
  return {
    biller: fieldOf(body, 'biller') ?? query['biller'],
    recipient: fieldOf(body, 'recipient'),
    amount: fieldOf(body, 'amount') ?? fieldOf(fieldOf(response?.body, 'data'), 'amount'),
    status: response?.status ?? null,
    code: fieldOf(response?.body, 'code'),
    fault: fault ? faultOptionsView(fault) : null,
  };
}

export const requestView = (request: SandboxRequest) => view.request(request, requestFacts(request));

export const requestDetail = (request: SandboxRequest) => view.requestDetail(request, requestFacts(request));

export const ledgerView = (entry: LedgerEntry) => view.ledgerEntry(entry, {});

export const clientView = (sandbox: Sandbox, client: SandboxClient) =>
  view.client(client, { balance: sandbox.wallet(client.clientId).balance });

export const walletView = (sandbox: Sandbox, clientId: string) => {
  const { balance, ledger } = sandbox.wallet(clientId);
  return { client_id: clientId, balance, entries: ledger.length };
};

/** JSON has no Infinity: a fault that stays until it is removed has `times: "always"`. */
const timesView = (times: number): number | 'always' =>
  times === Number.POSITIVE_INFINITY ? 'always' : times;

const faultOptionsView = (options: FaultOptions) => ({
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
