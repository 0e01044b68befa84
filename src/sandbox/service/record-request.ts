import type { RequestContext } from './request-context.js';
import { type SandboxRequest, shownHeaders } from './request-log.js';
import type { HttpResponse } from './responses.js';
import type { ServiceState } from './service-state.js';
import type { WorkResult } from './work.js';

/** How a request ended. */
interface RequestEnd {
  readonly result: WorkResult | undefined;
  readonly response: HttpResponse | undefined;
  readonly outcome: SandboxRequest['outcome'];
}

/** Enters a finished request in the log and reports it to the activity feed. */
export function recordRequest(
  state: ServiceState,
  { request, arrivedAt, fault }: RequestContext,
  { result, response, outcome }: RequestEnd,
): void {
  const { http } = request;
  const entry: SandboxRequest = {
    id: state.log.nextId(),
    at: new Date(arrivedAt),
    ip: request.ip,
    method: http.method,
    path: http.path,
    query: http.query,
    headers: shownHeaders(http.headers),
    body: request.body,
    operation: request.operation,
    clientId: request.clientId,
    idempotency_key: request.idempotencyKey,
    reference: result?.transaction?.reference,
    replayed: result?.replayed ?? false,
    fault,
    outcome,
    response: response && request.operation === 'webhooks.subscribe' ? maskSecret(response) : response,
    durationMs: state.clock.now() - arrivedAt,
  };
  state.log.add(entry);
  state.feed.emit({ type: 'request', request: entry });
}

function maskSecret(response: HttpResponse): HttpResponse {
  const masked = JSON.stringify(response.body).replace(/whsec_\w+/g, 'whsec_…');
  return { ...response, body: JSON.parse(masked) };
}
