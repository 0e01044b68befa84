import { ConfigurationError } from '../../errors/configuration-error.js';
import type { FaultOptions } from '../lab/fault-options.js';
import { bytesLeft, delayOf, endsBefore, faultOfHeader, faultResponse } from '../lab/faults.js';
import { requestWarnings } from '../lab/warnings.js';
import { ChangeNotKept } from '../records/commit.js';
import { recordRequest } from '../records/record-request.js';
import { admit } from './admission.js';
import { read } from './lookups.js';
import { readOrder } from './order.js';
import { type HttpRequest, type ParsedRequest, parseRequest } from './parse-request.js';
import { purchase } from './purchase.js';
import { failure, type HttpResponse } from './responses.js';
import type { ServiceState } from './service-state.js';
import { subscribe } from './subscribe.js';
import { done, type Work } from './work.js';

/** The response that the caller receives. */
export type ServedResponse =
  | { readonly kind: 'complete'; readonly response: HttpResponse }
  /** Only the first `bytes` of the body are sent. */
  | { readonly kind: 'cut'; readonly response: HttpResponse; readonly bytes: number }
  /** The connection closes without a response. */
  | { readonly kind: 'closed' };

/** Serves one request. It is done when this returns, unless a fault or a trigger delays it. */
export async function serve(state: ServiceState, request: HttpRequest): Promise<ServedResponse> {
  try {
    return await answer(state, parseRequest(request));
  } catch (error) {
    // A response acknowledges what happened, so there is none but this where that could not be kept.
    if (!(error instanceof ChangeNotKept)) throw error;
    return { kind: 'complete', response: failure(500, 'GATEWAY_ERROR', error.message) };
  }
}

async function answer(state: ServiceState, request: ParsedRequest): Promise<ServedResponse> {
  const { clock } = state;
  const arrivedAt = clock.date();
  const warnings = requestWarnings(
    request,
    arrivedAt.getTime(),
    state.rateLimits ? undefined : state.limiter,
  );
  const { fault, work } = begin(state, request);
  const delay = fault ? delayOf(fault) : 0;
  const isAfter = fault?.when === 'after';
  // The clock has no wait of no time: nothing may happen between the parts of a request that is not delayed.
  const holdBefore = (isAfter ? 0 : delay) + (work?.holdMs ?? 0);
  if (holdBefore > 0 && !(await clock.wait(holdBefore))) return { kind: 'closed' };
  const result = work?.run();
  if (isAfter && delay > 0 && !(await clock.wait(delay))) return { kind: 'closed' };
  work?.end();
  const response = fault ? faultResponse(fault, result?.response) : result?.response;
  const served = servedResponse(response, fault, result?.closed ?? false);
  recordRequest(state, { request, arrivedAt, fault, warnings, result, response, outcome: served.kind });
  return served;
}

/** A request that was begun: with the fault that it meets, and without work where that ends it before it is processed. */
interface Begun {
  readonly fault?: FaultOptions | undefined;
  readonly work?: Work | undefined;
}

function begin(state: ServiceState, request: ParsedRequest): Begun {
  let fault: FaultOptions | undefined;
  try {
    fault = faultOfHeader(request.http.headers);
  } catch (error) {
    // A fault in a header that cannot be read is a mistake of the test, so the request is not served.
    if (!(error instanceof ConfigurationError)) throw error;
    return { work: done({ response: failure(400, 'BAD_REQUEST', `X-Sandbox-Fault: ${error.message}`) }) };
  }
  fault ??= state.faults.take(request);
  return { fault, work: fault && endsBefore(fault) ? undefined : workOn(state, request) };
}

function workOn(state: ServiceState, request: ParsedRequest): Work {
  const admission = admit(state, request);
  if (!admission.ok) return done({ response: admission.response });
  const { client, route, params } = admission;
  switch (route.operation.kind) {
    case 'purchase':
      return purchase(state, client, route, readOrder(params));
    case 'subscribe':
      return done({ response: subscribe(state, client, params) });
    case 'read':
      return done(read(state, client, route, params));
  }
}

function servedResponse(
  response: HttpResponse | undefined,
  fault: FaultOptions | undefined,
  lost: boolean,
): ServedResponse {
  if (response === undefined || lost || fault?.connection === 'close') return { kind: 'closed' };
  const bytes = fault && bytesLeft(fault, response);
  return bytes === undefined ? { kind: 'complete', response } : { kind: 'cut', response, bytes };
}
