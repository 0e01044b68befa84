import { ConfigurationError } from '../../errors/base.js';
import type { Deliveries } from '../deliveries/deliveries.js';
import { bytesLeft, delayOf, endsBefore, type Faults, faultOfHeader, faultResponse } from '../lab/faults.js';
import { slowMs, triggerOf } from '../lab/triggers.js';
import { purchaseWarnings, repeatWarnings, requestWarnings } from '../lab/warnings.js';
import { ChangeNotKept } from '../records/changes.js';
import type { FaultOptions, SandboxRequest, SandboxWarning } from '../records/objects.js';
import { admit } from '../service/admission.js';
import { read } from '../service/lookups.js';
import { purchase, readOrder } from '../service/purchase.js';
import { type ParsedRequest, parseRequest } from '../service/request.js';
import {
  bodyText,
  done,
  failure,
  type HttpResponse,
  isBodiless,
  type Work,
  type WorkResult,
} from '../service/responses.js';
import type { ServiceState } from '../service/service-state.js';
import { subscribe } from '../service/subscribe.js';

/** The service with what surrounds it. */
export interface SandboxState extends ServiceState {
  readonly faults: Faults;
  readonly deliveries: Deliveries;
}

/** What of a `Request` is read. Over a port no whole one is made for the service, which would take a tenth as long as a purchase. */
export interface ServiceRequest extends Pick<Request, 'method' | 'url' | 'text'> {
  /** Names in lower case. */
  readonly headers: Iterable<[string, string]> & { get(name: string): string | null | undefined };
}

/**
 * Serves one request, whose body is a text, of the caller at an address. It is done when this returns, unless a fault or a trigger delays it.
 * Rejects as `fetch` does where the connection closes without a response.
 */
export async function serve(
  state: SandboxState,
  request: ServiceRequest,
  text: string,
  address: string,
): Promise<ServiceResponse> {
  try {
    if (state.changes.failure) throw state.changes.failure;
    return await answer(state, parseRequest(request, text, address));
  } catch (error) {
    // A response acknowledges what happened, so there is none but this where that could not be kept.
    if (!(error instanceof ChangeNotKept)) throw error;
    return failure(500, 'GATEWAY_ERROR', error.message);
  }
}

async function answer(state: SandboxState, request: ParsedRequest): Promise<ServiceResponse> {
  const { clock, log } = state;
  const id = log.nextId();
  const at = clock.date();
  const { fault, work, warnings } = begin(state, request);
  const delay = fault ? delayOf(fault) : 0;
  const isAfter = fault?.when === 'after';
  // The clock has no wait of no time: nothing may happen between the parts of a request that is not delayed.
  const holdBefore = (isAfter ? 0 : delay) + (work?.isNew && triggerFor(request) === 'slow' ? slowMs : 0);
  let result: WorkResult | undefined;
  try {
    if (holdBefore > 0 && !(await clock.wait(holdBefore))) throw closedByPeer();
    result = work?.run();
    if (isAfter && delay > 0 && !(await clock.wait(delay))) throw closedByPeer();
  } finally {
    work?.end();
  }
  const response = fault ? faultResponse(fault, result?.response) : result?.response;
  const isClosed = response === undefined || result?.closed === true || fault?.connection === 'close';
  const bytes = fault && response && bytesLeft(fault, response);
  const outcome = isClosed ? 'closed' : bytes === undefined ? 'complete' : 'cut';
  record(state, request, { id, at, fault, warnings, response, outcome }, result);
  if (isClosed) throw closedByPeer();
  return { ...response, bytes };
}

const triggerFor = ({ recipient }: ParsedRequest) =>
  recipient === undefined ? undefined : triggerOf(recipient);

/** A request that was begun: with the fault that it meets, and without work where that ends it before it is processed. */
interface Begun {
  readonly fault?: FaultOptions | undefined;
  readonly work?: Work | undefined;
  /** Mistakes that were tolerated. */
  readonly warnings: SandboxWarning[];
}

function begin(state: SandboxState, request: ParsedRequest): Begun {
  const warnings = requestWarnings(request);
  let fault: FaultOptions | undefined;
  try {
    fault = faultOfHeader(request.headers);
  } catch (error) {
    // A fault in a header that cannot be read is a mistake of the test, so the request is not served.
    if (!(error instanceof ConfigurationError)) throw error;
    const response = failure(400, 'BAD_REQUEST', `X-Sandbox-Fault: ${error.message}`);
    return { work: done({ response }), warnings };
  }
  fault ??= state.faults.take(request);
  const work = fault && endsBefore(fault) ? undefined : workOn(state, request, warnings);
  return { fault, work, warnings };
}

/** The work on a request; adds to the warnings what is seen of a purchase. */
function workOn(state: SandboxState, request: ParsedRequest, warnings: SandboxWarning[]): Work {
  const admission = admit(state, request);
  if (!admission.ok) return done({ response: admission.response });
  const { client, route, params } = admission;
  switch (route.operation.kind) {
    case 'subscribe':
      return done({ response: subscribe(state, client, params) });
    case 'read':
      return done(read(state, client, route, params, triggerFor(request)));
    case 'purchase': {
      const order = readOrder(params);
      const original = client.keys.get(order.idempotency_key);
      const work = purchase(state, client, route, order, triggerFor(request));
      if (work.isNew) warnings.push(...purchaseWarnings(client.subscription, route, order));
      else if (original && original !== 'in flight') {
        warnings.push(...repeatWarnings(original, route, order));
      }
      return work;
    }
  }
}

/** What is known of a request only once it has ended. */
type RequestEnd = Pick<SandboxRequest, 'id' | 'at' | 'fault' | 'warnings' | 'response' | 'outcome'>;

/** Enters a finished request in the log and reports it. */
function record(
  { log, clock, transactions, changes }: SandboxState,
  { bodyLength, clientId, idempotencyKey, ip, method, path, query, headers, body, operation }: ParsedRequest,
  end: RequestEnd,
  result?: WorkResult,
): void {
  const entry: SandboxRequest = {
    ...end,
    ip,
    method,
    path,
    query,
    headers,
    body,
    operation,
    clientId,
    idempotency_key: idempotencyKey,
    reference: result?.transaction?.reference,
    replayed: result?.replayed ?? false,
    durationMs: clock.now() - end.at.getTime(),
  };
  log.add(entry, bodyLength, transactions.list.length);
  changes.report({ type: 'request', request: entry });
}

/** A request that the port refused before the service could read it. */
export interface RefusedRequest extends Pick<Request, 'method' | 'url'> {
  readonly address: string;
  readonly response: HttpResponse;
}

/** Enters a request that never reached the service, so that it is not missing in the log. */
export function recordRefused(state: SandboxState, { response, address, method, url }: RefusedRequest): void {
  const request = parseRequest({ method, url, headers: new Headers() }, '', address);
  const [id, at] = [state.log.nextId(), state.clock.date()];
  const end = { id, at, fault: undefined, warnings: [], response, outcome: 'complete' } as const;
  record(state, request, end);
}

/** What `fetch` throws when a connection does not hold. */
export function connectionFailure(code: 'ECONNRESET' | 'ECONNREFUSED', message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
}

const closedByPeer = (): TypeError =>
  connectionFailure('ECONNRESET', 'the connection closed before a response came');

/** A response of the service. Over a port it is written as it is: to make a whole `Response` takes a tenth as long as a purchase. */
export interface ServiceResponse extends HttpResponse {
  /** How many bytes of the body come before the connection breaks; undefined: all of it. */
  readonly bytes?: number | undefined;
}

/** A response as `fetch` has it. */
export function responseOf(response: ServiceResponse): Response {
  const { status, headers, bytes } = response;
  if (bytes !== undefined) return cutResponse(response, bytes);
  return new Response(isBodiless(status) ? null : bodyText(response), { status, headers });
}

/** A body that breaks off, as it does when the socket closes before `Content-Length` bytes came. */
function cutResponse(response: HttpResponse, bytes: number): Response {
  const body = new TextEncoder().encode(bodyText(response));
  let sent = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent || bytes === 0) return controller.error(closedByPeer());
      sent = true;
      controller.enqueue(body.slice(0, bytes));
    },
  });
  const headers = { ...response.headers, 'content-length': String(body.length) };
  return new Response(stream, { status: response.status, headers });
}
