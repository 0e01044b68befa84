import type { SandboxRequest } from '../service/request-log.js';
import { pageOf, pageQuery } from './paging.js';
import {
  type ControlCall,
  type ControlRoute,
  invalid,
  listOf,
  notFound,
  reference,
  schemas,
} from './route.js';
import { requestDetail, requestView } from './views.js';

/** The requests that reached the service. */

const requestOf = ({ sandbox, params }: ControlCall): SandboxRequest => {
  const request = sandbox.request(Number(params['id']));
  if (!request)
    throw notFound(`Request ${params['id']} is not in the log: it keeps at least the last 10,000.`);
  return request;
};

/** Whether a request matches the filters. */
function matches(request: SandboxRequest, query: Readonly<Record<string, string>>): boolean {
  const { client, operation, status, reference: wanted, warnings, q } = query;
  if (client !== undefined && request.clientId !== client) return false;
  if (operation !== undefined && request.operation !== operation) return false;
  if (wanted !== undefined && request.reference !== wanted) return false;
  if (status !== undefined && !String(request.response?.status ?? 'none').startsWith(status)) return false;
  if (warnings !== undefined && request.warnings.length === 0) return false;
  if (q === undefined) return true;
  const text = `${request.path} ${request.idempotency_key} ${request.reference} ${JSON.stringify(request.body)}`;
  return text.toLowerCase().includes(q.toLowerCase());
}

const bodyOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** Sends a logged request again, with the client's key of now: the log holds only the prefix of a key. */
async function sendAgain({ sandbox, baseUrl }: ControlCall, request: SandboxRequest): Promise<unknown> {
  const client = sandbox.clients.find(({ clientId }) => clientId === request.clientId);
  const authorization = request.headers['authorization'];
  if (authorization !== undefined && !client) {
    throw invalid('The client of this request is not known, so it has no key to be sent with.');
  }
  const headers = new Headers({ 'content-type': request.headers['content-type'] ?? 'application/json' });
  if (client && authorization !== undefined) {
    const key = authorization.startsWith('Bearer pk_') ? client.publicKey : client.secretKey;
    headers.set('authorization', `Bearer ${key}`);
  }
  const url = new URL(request.path, baseUrl);
  for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, value);
  const { body, method } = request;
  // A connection that closes is a result like any other: it is in the log.
  await sandbox
    .fetch(url, { method, headers, ...(body === undefined ? {} : { body: bodyOf(body) }) })
    .then((response) => response.text())
    .catch(() => undefined);
  const sent = sandbox.requests.at(-1);
  return sent && requestDetail(sent);
}

export const requestRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/requests',
    summary: 'Lists the requests that reached the service; at least the last 10,000 are kept.',
    query: {
      client: schemas.text,
      operation: { type: 'string', description: 'Such as airtime.purchase.' },
      status: { type: 'string', description: 'The HTTP status or its beginning: 422, 5, or none.' },
      reference: schemas.text,
      warnings: { type: 'string', description: 'Given with any value: only requests with warnings.' },
      q: { type: 'string', description: 'Part of the path, key, reference or body.' },
      ...pageQuery,
    },
    returns: listOf('Request'),
    handle: ({ sandbox, query }) =>
      pageOf({
        items: sandbox.requests,
        first: sandbox.requests[0]?.id ?? 0,
        query,
        matches: (request) => matches(request, query),
        show: requestView,
      }),
  },
  {
    method: 'GET',
    path: '/requests/{id}',
    summary: 'One request with its headers, its body and the response.',
    returns: reference('RequestDetail'),
    handle: (call) => requestDetail(requestOf(call)),
  },
  {
    method: 'POST',
    path: '/requests/{id}/send',
    summary:
      'Sends a request again, with the same body and so under the same idempotency key. Returns the new request.',
    returns: reference('RequestDetail'),
    handle: (call) => sendAgain(call, requestOf(call)),
  },
];
