import type { FaultOptions } from '../lab/fault-options.js';
import type { SandboxWarning } from '../lab/warnings.js';
import { type ParsedRequest, parseRequest } from '../rules/parse-request.js';
import type { HttpResponse } from '../rules/responses.js';
import type { ServiceState } from '../rules/service-state.js';
import type { WorkResult } from '../rules/work.js';
import { type SandboxRequest, shownHeaders } from './request-log.js';

/** A request, and how it ended. */
interface FinishedRequest {
  readonly request: ParsedRequest;
  readonly arrivedAt: Date;
  readonly fault?: FaultOptions | undefined;
  /** Mistakes that are visible from the request alone. */
  readonly warnings: readonly SandboxWarning[];
  /** Undefined where a fault ended the request before it was processed. */
  readonly result?: WorkResult | undefined;
  readonly response: HttpResponse | undefined;
  readonly outcome: SandboxRequest['outcome'];
}

/** Enters a finished request in the log and reports it. */
export function recordRequest(
  state: ServiceState,
  { request, arrivedAt, fault, warnings, result, response, outcome }: FinishedRequest,
): void {
  const { http, operation } = request;
  const entry: SandboxRequest = {
    id: state.log.nextId(),
    at: arrivedAt,
    ip: request.ip,
    method: http.method,
    path: http.path,
    query: http.query,
    headers: shownHeaders(http.headers),
    body: request.body,
    operation,
    clientId: request.clientId,
    idempotency_key: request.idempotencyKey,
    reference: result?.transaction?.reference,
    replayed: result?.replayed ?? false,
    fault,
    warnings: result?.warnings ? [...warnings, ...result.warnings] : warnings,
    outcome,
    response: response && operation === 'webhooks.subscribe' ? maskSecret(response) : response,
    durationMs: state.clock.now() - arrivedAt.getTime(),
  };
  state.commit(() => {
    state.log.add(entry, http.body.length);
    return [{ type: 'request', request: entry }];
  });
}

/** A request that the server refused before the service could read it. */
export interface RefusedRequest extends Pick<SandboxRequest, 'ip' | 'method' | 'path'> {
  readonly response: HttpResponse;
}

/** Enters a request that never reached the service, so that it is not missing in the log. */
export function recordRefused(state: ServiceState, { response, ...refused }: RefusedRequest): void {
  const request = parseRequest({ ...refused, query: {}, headers: {}, body: '' });
  recordRequest(state, {
    request,
    arrivedAt: state.clock.date(),
    warnings: [],
    response,
    outcome: 'complete',
  });
}

function maskSecret(response: HttpResponse): HttpResponse {
  const masked = JSON.stringify(response.body).replace(/whsec_\w+/g, 'whsec_…');
  return { ...response, body: JSON.parse(masked) };
}
