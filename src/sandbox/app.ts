import { version } from '../version.js';
import { hostRefusal } from './http/guard.js';
import type { RefusedRequest, ServiceRequest, ServiceResponse } from './http/serve.js';
import { BodyTooLarge, type Respond } from './http/server.js';
import { failure, type HttpResponse } from './service/responses.js';
import type { Sandbox } from './types.js';

interface AppOptions {
  readonly sandbox: Sandbox;
  readonly handle: Respond;
  /** Called with each request that is refused before the service sees it. */
  readonly onRefused: (refused: RefusedRequest) => void;
  /** The address that the server listens on. */
  readonly host: string;
  /** What requests to `/_sandbox` must carry; undefined where they need nothing. */
  readonly controlToken: string | undefined;
}

const isControl = /^\/_sandbox(\/|$)/;
const isPage = /^\/(page\.js|page\.css)?$/;

/** What responds to the requests to a sandbox: its health, its control API, its page, and the service at every other path. */
export function createApp(options: AppOptions): Respond {
  const { sandbox, host, controlToken: token } = options;
  // The page and the control API are loaded by who uses them.
  let control: Promise<Respond> | undefined;
  let page: Promise<Respond> | undefined;
  const loadControl = async (): Promise<Respond> => {
    const { createControl } = await import('./control/app.js');
    const app = createControl({ sandbox, host, token });
    return async (request) => {
      try {
        return await app.fetch(await wholeRequest(request));
      } catch (error) {
        if (error instanceof BodyTooLarge) return tooLarge();
        throw error;
      }
    };
  };
  const loadPage = async (): Promise<Respond> => {
    const { createPage } = await import('./page/handler.js');
    const app = createPage(host);
    return async (request) => app.fetch(await wholeRequest(request));
  };
  return async (request, address) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/health') return health(request, sandbox);
    if (isControl.test(pathname)) {
      control ??= loadControl();
      return (await control)(request, address);
    }
    if (isPage.test(pathname)) {
      page ??= loadPage();
      return (await page)(request, address);
    }
    return serviceResponse(request, address, options);
  };
}

const bodyTooLarge = failure(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB.');

/** Responds for the service over a port. What is refused here is in the log, too. */
async function serviceResponse(
  request: ServiceRequest,
  address: string,
  { handle, onRefused, host }: AppOptions,
): ReturnType<Respond> {
  const { method, url } = request;
  const refuse = (response: HttpResponse): ServiceResponse => {
    onRefused({ method, url, address, response });
    return { ...response, headers: { ...response.headers, connection: 'close' } };
  };
  const wrongHost = hostRefusal(request, host);
  if (wrongHost !== undefined) return refuse(failure(403, 'GATEWAY_ERROR', wrongHost));
  try {
    return await handle(request, address);
  } catch (error) {
    if (error instanceof BodyTooLarge) return refuse(bodyTooLarge);
    throw error;
  }
}

/** For container health checks: no token, no check of the Host, nothing worth protecting. Healthy means that purchases work. */
function health({ method }: ServiceRequest, { now, problem }: Sandbox): Response {
  const headers = { 'cache-control': 'no-store' };
  if (method !== 'GET' && method !== 'HEAD') {
    return Response.json({}, { status: 405, headers: { ...headers, allow: 'GET, HEAD' } });
  }
  return problem === undefined
    ? Response.json({ status: 'ok', version, now }, { headers })
    : Response.json({ status: 'failed', problem, version, now }, { status: 503, headers });
}

/** As the problems of the control API are. */
const tooLarge = (): Response => {
  const problem = {
    type: 'about:blank',
    title: 'Too large',
    status: 413,
    detail: 'The body is larger than 1 MiB.',
  };
  return Response.json(problem, { status: 413, headers: { 'content-type': 'application/problem+json' } });
};

async function wholeRequest({ method, url, headers, text }: ServiceRequest): Promise<Request> {
  const body = method === 'GET' || method === 'HEAD' ? undefined : await text();
  return new Request(url, { method, headers: [...headers], ...(body === undefined ? {} : { body }) });
}
