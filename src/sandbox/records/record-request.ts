import type { RequestContext } from '../rules/request-context.js';
import type { HttpResponse } from '../rules/responses.js';
import type { ServiceState } from '../rules/service-state.js';
import type { WorkResult } from '../rules/work.js';
import { type SandboxRequest, shownHeaders } from './request-log.js';

/** How a request ended. */
interface RequestEnd {
  readonly result: WorkResult | undefined;
  readonly response: HttpResponse | undefined;
  readonly outcome: SandboxRequest['outcome'];
}

/** Enters a finished request in the log and reports it. */
export function recordRequest(
  state: ServiceState,
  { request, arrivedAt, fault, warnings }: RequestContext,
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
    warnings: result?.warnings ? [...warnings, ...result.warnings] : warnings,
    outcome,
    response: response && request.operation === 'webhooks.subscribe' ? maskSecret(response) : response,
    durationMs: state.clock.now() - arrivedAt,
  };
  logRequest(state, entry, http.body.length);
}

/** A request that the server refused before the service could read it. */
export interface RefusedRequest extends Pick<SandboxRequest, 'ip' | 'method' | 'path'> {
  readonly response: HttpResponse;
}

/** Enters a request that never reached the service, so that it is not missing in the log. */
export function recordRefused(state: ServiceState, refused: RefusedRequest): void {
  const entry: SandboxRequest = {
    ...refused,
    id: state.log.nextId(),
    at: new Date(state.clock.now()),
    query: {},
    headers: {},
    body: undefined,
    operation: undefined,
    clientId: undefined,
    idempotency_key: undefined,
    reference: undefined,
    replayed: false,
    fault: undefined,
    warnings: [],
    outcome: 'complete',
    durationMs: 0,
  };
  logRequest(state, entry, 0);
}

function logRequest(state: ServiceState, request: SandboxRequest, bodyLength: number): void {
  state.commit(() => {
    state.log.add(request, bodyLength);
    return [{ type: 'request', request }];
  });
}

function maskSecret(response: HttpResponse): HttpResponse {
  const masked = JSON.stringify(response.body).replace(/whsec_\w+/g, 'whsec_…');
  return { ...response, body: JSON.parse(masked) };
}
