import { faultHeader, faultOfHeader } from '../lab/fault-header.js';
import type { FaultOptions } from '../lab/fault-options.js';
import { bytesLeft, delayOf, endsBefore, faultResponse } from '../lab/faults.js';
import { HeldRequest } from '../lab/held-request.js';
import { pollingWarning, requestWarnings } from '../lab/warnings.js';
import { ChangeNotKept } from '../records/commit.js';
import { recordRequest } from '../records/record-request.js';
import { admit } from './admission.js';
import { read } from './lookups.js';
import { readOrder } from './order.js';
import { type HttpRequest, type ParsedRequest, parseRequest } from './parse-request.js';
import { purchase } from './purchase.js';
import type { RequestContext } from './request-context.js';
import { failure, type HttpResponse } from './responses.js';
import type { ServiceState } from './service-state.js';
import { subscribe } from './subscribe.js';
import { done, type Work, type WorkResult } from './work.js';

/** The response that the caller receives. */
export type ServedResponse =
  | { readonly kind: 'complete'; readonly response: HttpResponse }
  /** Only the first `bytes` of the body are sent. */
  | { readonly kind: 'cut'; readonly response: HttpResponse; readonly bytes: number }
  /** The connection closes without a response. */
  | { readonly kind: 'closed' };

/** Serves one request: synchronously, unless a fault or a trigger delays it. */
export function serve(state: ServiceState, request: HttpRequest): ServedResponse | Promise<ServedResponse> {
  try {
    const served = answer(state, request);
    return served instanceof Promise ? served.catch(notKept) : served;
  } catch (error) {
    return notKept(error);
  }
}

/** A response acknowledges what happened, so there is none but this where that could not be kept. */
function notKept(error: unknown): ServedResponse {
  if (!(error instanceof ChangeNotKept)) throw error;
  return { kind: 'complete', response: failure(500, 'GATEWAY_ERROR', error.message) };
}

function answer(state: ServiceState, httpRequest: HttpRequest): ServedResponse | Promise<ServedResponse> {
  const request = parseRequest(httpRequest);
  const warnings = requestWarnings(request);
  const polling = state.rateLimits ? undefined : pollingWarning(state.limiter, request, state.clock.now());
  if (polling) warnings.push(polling);
  const own = faultOfHeader(request.http.headers[faultHeader]);
  if (own?.problem !== undefined) return refuseFault(state, request, own.problem);
  const fault = own?.fault ?? state.faults.take(request);
  const work = fault && endsBefore(fault) ? undefined : begin(state, request);
  const delay = fault ? delayOf(fault) : 0;
  const context: RequestContext = {
    request,
    arrivedAt: state.clock.now(),
    fault,
    warnings,
    work,
    holdBefore: (fault?.when === 'after' ? 0 : delay) + (work?.holdMs ?? 0),
    holdAfter: fault?.when === 'after' ? delay : 0,
  };
  return context.holdBefore + context.holdAfter > 0
    ? serveHeld(state, context)
    : finish(state, context, work?.run());
}

/** A fault in a header that cannot be read is a mistake of the test, so the request is not served. */
function refuseFault(state: ServiceState, request: ParsedRequest, problem: string): ServedResponse {
  const work = done({ response: failure(400, 'BAD_REQUEST', `X-Sandbox-Fault: ${problem}`) });
  const arrivedAt = state.clock.now();
  const context = { request, arrivedAt, fault: undefined, warnings: [], work, holdBefore: 0, holdAfter: 0 };
  return finish(state, context, work.run());
}

async function serveHeld(state: ServiceState, context: RequestContext): Promise<ServedResponse> {
  const held = new HeldRequest(state.clock);
  if (!(await held.hold(context.holdBefore))) return { kind: 'closed' };
  const result = context.work?.run();
  if (!(await held.hold(context.holdAfter))) return { kind: 'closed' };
  const served = finish(state, context, result);
  held.end();
  return served;
}

function finish(
  state: ServiceState,
  context: RequestContext,
  result: WorkResult | undefined,
): ServedResponse {
  context.work?.end();
  const { fault } = context;
  const response = fault ? faultResponse(fault, result?.response) : result?.response;
  const served = servedResponse(response, fault, result?.closed ?? false);
  recordRequest(state, context, { result, response, outcome: served.kind });
  return served;
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

function begin(state: ServiceState, request: ParsedRequest): Work {
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
