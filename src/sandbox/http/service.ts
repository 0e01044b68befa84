import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RefusedRequest } from '../records/record-request.js';
import { type HttpRequest, targetOf } from '../rules/parse-request.js';
import { bodyText, failure, type HttpResponse, isBodiless } from '../rules/responses.js';
import type { ServedResponse } from '../rules/serve.js';
import { callerOf, serviceRefusal } from './guard.js';
import { addressOf, type NodeListener, readBody } from './server.js';

export interface ServiceOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** Undefined where the control API needs no token. A token protects a sandbox that is used by other names. */
  readonly controlToken: string | undefined;
  readonly handleRequest: (request: HttpRequest) => Promise<ServedResponse>;
  /** Called with each request that is refused before the service sees it. */
  readonly onRefused: (refused: RefusedRequest) => void;
}

const tooLarge = failure(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.');

/**
 * Responds for the service. It writes to node's response, because a fault may cut a body off or close the connection, which no `Response`
 * can say.
 */
export function createService({
  host,
  controlToken,
  handleRequest,
  onRefused,
}: ServiceOptions): NodeListener {
  const refuse = (request: IncomingMessage, response: ServerResponse, url: URL, refusal: HttpResponse) => {
    const { method, path, ip } = toHttpRequest(request, url, '');
    onRefused({ method, path, ip, response: refusal });
    request.resume();
    response.writeHead(refusal.status, { ...refusal.headers, connection: 'close' });
    response.end(bodyText(refusal));
  };
  const respond = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const wrongHost = controlToken === undefined ? serviceRefusal(callerOf(request), host) : undefined;
    if (wrongHost !== undefined) {
      return refuse(request, response, url, failure(403, 'GATEWAY_ERROR', wrongHost));
    }
    const body = await readBody(request);
    if (body === undefined) return refuse(request, response, url, tooLarge);
    send(response, await handleRequest(toHttpRequest(request, url, body)));
  };
  // Whatever fails here (a caller that went away, a handler that threw) concerns this connection alone.
  return (request, response, url) => respond(request, response, url).catch(() => void response.destroy());
}

function toHttpRequest(request: IncomingMessage, url: URL, body: string): HttpRequest {
  const headers: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(request.headers)) {
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return {
    method: request.method ?? 'GET',
    ...targetOf(url),
    headers,
    body,
    ip: addressOf(request.socket),
  };
}

function send(target: ServerResponse, served: ServedResponse): void {
  if (served.kind === 'closed') {
    target.destroy();
    return;
  }
  const { response } = served;
  const body = Buffer.from(bodyText(response));
  const length = isBodiless(response.status) ? {} : { 'content-length': body.length };
  target.writeHead(response.status, { ...response.headers, ...length });
  if (served.kind === 'complete') {
    target.end(body);
    return;
  }
  target.write(body.subarray(0, served.bytes), () => target.destroy());
}
