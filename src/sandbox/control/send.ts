import { type OperationName, operations } from '../../contract/operations.js';
import type { SandboxRequest } from '../records/request-log.js';
import type { Sandbox, SandboxClient } from '../types.js';
import { type ControlCall, invalid } from './route.js';

/** Requests that the control API sends to the service, as a client of the service would. */

/** Marks a request, so that its entry in the log is found among those of other callers. */
const markHeader = 'x-sandbox-sent';

const bodyText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** Sends one request and returns its entry in the log. A connection that closes is a result like any other. */
async function send(sandbox: Sandbox, url: URL, init: RequestInit): Promise<SandboxRequest | undefined> {
  const mark = crypto.randomUUID();
  const headers = new Headers(init.headers);
  headers.set(markHeader, mark);
  let sent: SandboxRequest | undefined;
  const stop = sandbox.onActivity((activity) => {
    if (activity.type === 'request' && activity.request.headers[markHeader] === mark) sent = activity.request;
  });
  await sandbox
    .fetch(url, { ...init, headers })
    .then((response) => response.text())
    .catch(() => undefined);
  stop();
  return sent;
}

/** Sends a call in the name of a client, with its secret key. */
export function sendCall(
  { sandbox, baseUrl }: Pick<ControlCall, 'sandbox' | 'baseUrl'>,
  client: SandboxClient,
  operation: OperationName,
  params: Readonly<Record<string, unknown>>,
): Promise<SandboxRequest | undefined> {
  const { method, path, kind } = operations[operation];
  const key = kind === 'purchase' ? { idempotency_key: crypto.randomUUID() } : {};
  const fields = { client_id: client.clientId, ...key, ...params };
  const url = new URL(`${baseUrl}${path}`);
  const headers = { authorization: `Bearer ${client.secretKey}`, 'content-type': 'application/json' };
  if (method === 'POST') return send(sandbox, url, { method, headers, body: JSON.stringify(fields) });
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, String(value));
  return send(sandbox, url, { method, headers });
}

/** Sends a logged request again, with the client's key of now: the log holds only the prefix of a key. */
export function sendAgain(
  { sandbox, baseUrl }: Pick<ControlCall, 'sandbox' | 'baseUrl'>,
  request: SandboxRequest,
): Promise<SandboxRequest | undefined> {
  if (request.method === '') {
    throw invalid('This request could not be read, so there is nothing to send again.');
  }
  const client = sandbox.clients.find(({ clientId }) => clientId === request.clientId);
  const authorization = request.headers['authorization'];
  if (authorization !== undefined && !client) {
    throw invalid('The client of this request is not known, so it has no key to be sent with.');
  }
  const headers = new Headers({
    'content-type': request.headers['content-type'] ?? 'application/json',
    'x-forwarded-for': request.ip,
  });
  if (client && authorization !== undefined) {
    const key = authorization.startsWith('Bearer pk_') ? client.publicKey : client.secretKey;
    headers.set('authorization', `Bearer ${key}`);
  }
  const url = new URL(baseUrl);
  url.pathname = request.path;
  for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, value);
  const { body, method } = request;
  return send(sandbox, url, { method, headers, ...(body === undefined ? {} : { body: bodyText(body) }) });
}
