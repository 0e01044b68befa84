import type { OperationKind } from '../contract/operations.js';
import { errorCodes } from '../contract/vocabulary.js';
import { field } from '../utils/field.js';
import type { AttemptOutcome, ReceivedResponse } from './transport.js';

/**
 * The kind of a call. `unknown` is a writing call through `request()` without an idempotency_key: the effect of a repeat is not
 * known.
 */
export type CallKind = OperationKind | 'unknown';

/** The `code` of a response; undefined where there is none. It may hold anything: redact it before it is printed. */
export function codeOf(json: unknown): string | undefined {
  const code = field(json, 'code');
  return typeof code === 'string' && code !== '' ? code : undefined;
}

/** The service's error envelope (docs/service.md, "Errors"); undefined for anything else, such as a page of a proxy. */
export function errorEnvelope(
  json: unknown,
): { readonly code: string; readonly message: string } | undefined {
  const code = field(json, 'code');
  const message = field(json, 'message');
  return field(json, 'status') === 'error' && typeof code === 'string' && typeof message === 'string'
    ? { code, message }
    : undefined;
}

/** Documented errors that leave the sale open: the request is in flight (409), or the service failed midway (500, 502). */
const openStatuses = [409, 500, 502];

/**
 * Whether an attempt that did not succeed may have moved money. Returns false only if there is proof that no money moved: nothing was
 * sent, or the service itself refused in a documented way (docs/service.md, "Errors", and "States and transitions", rule 3).
 *
 * | the attempt ended in | a purchase may have charged |
 * |---|---|
 * | nothing sent, or no connection made | no |
 * | no response after the request may have left | yes |
 * | 400, 401, 402, 403, 405, 422, 429 or 503 in the service's error envelope, with a code documented for the status | no |
 * | 409, 500, 502 | yes |
 * | any other response: a page of a proxy or firewall, an undocumented status or code, a redirect, an unusable 2xx | yes |
 *
 * A `request()` that writes without an idempotency_key is treated as a purchase; reads and subscriptions never charge.
 */
export function mayHaveCharged(kind: CallKind, outcome: AttemptOutcome): boolean {
  return kind !== 'read' && kind !== 'subscribe' && mayHaveTakenEffect(outcome);
}

/** Whether the service may have carried out a request that did not succeed. */
export function mayHaveTakenEffect(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'failure' ? outcome.mayHaveArrived : !isDocumentedRefusal(outcome);
}

/** Whether the service itself refused the request, in a way that is documented to create no charge. */
function isDocumentedRefusal(response: ReceivedResponse): boolean {
  return isDocumentedError(response) && !openStatuses.includes(response.status);
}

/** Whether a response is an error that the service documents: its envelope, with a code that belongs to its status. */
export function isDocumentedError({ status, json }: ReceivedResponse): boolean {
  const envelope = errorEnvelope(json);
  return envelope !== undefined && (documentedCodes[status]?.includes(envelope.code) ?? false);
}

const documentedCodes: Readonly<Record<number, readonly string[]>> = errorCodes;
