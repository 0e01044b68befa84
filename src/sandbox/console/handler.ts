import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { assertOption } from '../../validation/options.js';
import { durationMs } from '../service/duration.js';
import { currentPrefix } from '../service/routes.js';
import { type Caller, dataRefusal, pageRefusal } from '../transport/guard.js';
import { type FrontHandler, targetUrl } from '../transport/server.js';
import type { Sandbox } from '../types.js';
import { detailOf } from './details.js';
import { page, pagePolicy } from './page.js';
import { envBlock, firstPurchaseCurl, requestCurl } from './paste.js';
import { presetFault } from './presets.js';
import { stream } from './stream.js';
import { consolePath } from './view.js';

/** The console of a listening sandbox: its page at `/`, its data and buttons below `/_console`. */

/** An answer of the console itself. */
type Reply = readonly [
  status: number,
  type: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
];

type Fields = Readonly<Record<string, unknown>>;

const commonHeaders = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const text = (status: number, message: string): Reply => [
  status,
  'text/plain; charset=utf-8',
  `${message}\n`,
];
const json = (value: unknown): Reply => [200, 'application/json', JSON.stringify(value)];
const missing = text(404, 'There is no such thing in this sandbox.');

function send(response: ServerResponse, [status, type, body, headers]: Reply): void {
  response.writeHead(status, { ...commonHeaders, ...headers, 'content-type': type }).end(body);
}

/** Larger bodies are none of the page's. */
const largestBody = 16_384;

async function readFields(request: IncomingMessage): Promise<Fields | undefined> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk);
    if (body.length > largestBody) return undefined;
  }
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

/** What a button does. */
type Command = (sandbox: Sandbox, fields: Fields) => unknown;

const settle: Command = (sandbox, { reference, outcome }) => {
  assertOption(outcome === 'success' || outcome === 'failed', 'outcome', "must be 'success' or 'failed'");
  return sandbox.settle(String(reference), outcome);
};

const redeliver: Command = (sandbox, { id, corrupt }) => {
  const delivery = sandbox.deliveries.find((one) => one.id === id);
  assertOption(delivery, 'id', 'is no delivery of this sandbox');
  if (corrupt === undefined) return delivery.redeliver();
  assertOption(
    corrupt === 'bad-signature' || corrupt === 'old-timestamp',
    'corrupt',
    "must be 'bad-signature' or 'old-timestamp'",
  );
  return delivery.redeliver({ corrupt });
};

/** By the route that the button posts to. */
const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['settle', settle],
  ['redeliver', redeliver],
  ['fault', (sandbox, fields) => void sandbox.faults.add(presetFault(fields))],
  ['fault-off', (sandbox, { id }) => sandbox.faults.active.find((fault) => fault.id === id)?.remove()],
  ['advance', (sandbox, { duration }) => sandbox.advance(durationMs('duration', duration))],
]);

async function change(sandbox: Sandbox, name: string, request: IncomingMessage): Promise<Reply> {
  const command = commands.get(name);
  if (!command) return missing;
  const fields = await readFields(request);
  if (!fields) return text(400, 'The body must be a JSON object of at most 16 kB.');
  try {
    await command(sandbox, fields);
  } catch (error) {
    if (error instanceof ConfigurationError) return text(400, error.message);
    throw error;
  }
  return json({ done: true });
}

function curlOf(sandbox: Sandbox, origin: string, id: string | undefined): Reply {
  if (id === undefined)
    return json({ text: firstPurchaseCurl(`${origin}${currentPrefix}`, sandbox.credentials) });
  const request = sandbox.requests.find((one) => String(one.id) === id);
  if (!request) return missing;
  const client = sandbox.clients.find(({ clientId }) => clientId === request.clientId);
  return json({ text: requestCurl(request, origin, client) });
}

function data(sandbox: Sandbox, origin: string, url: URL): Reply {
  const [kind = '', id] = url.pathname.slice(consolePath.length + 1).split('/');
  if (kind === 'env') return json({ text: envBlock(`${origin}${currentPrefix}`, sandbox.credentials) });
  if (kind === 'curl') return curlOf(sandbox, origin, id);
  const blocks = detailOf(sandbox, kind, id ?? '', url.searchParams.has('reveal'));
  return blocks ? json(blocks) : missing;
}

const callerOf = ({ method = 'GET', headers, socket }: IncomingMessage): Caller => ({
  method,
  headers,
  localAddress: socket.localAddress,
  localPort: socket.localPort,
});

/** The console's part of a sandbox that listens on `host`; everything else it leaves to the API. */
export function createConsole(sandbox: Sandbox, host: string): FrontHandler {
  return async (request, response) => {
    const url = targetUrl(request);
    const isPage = url.pathname === '/' && request.method === 'GET';
    if (!isPage && !url.pathname.startsWith(`${consolePath}/`)) return false;

    const caller = callerOf(request);
    const refusal = isPage ? pageRefusal(caller, host) : dataRefusal(caller, host);
    const origin = `http://${request.headers.host}`;
    const name = url.pathname.slice(consolePath.length + 1);
    if (refusal !== undefined) {
      request.resume();
      send(response, text(403, refusal));
    } else if (isPage) {
      send(response, [200, 'text/html; charset=utf-8', page, { 'content-security-policy': pagePolicy() }]);
    } else if (request.method === 'POST') {
      send(response, await change(sandbox, name, request));
    } else if (request.method !== 'GET') {
      send(response, [405, 'text/plain', 'GET or POST\n', { allow: 'GET, POST' }]);
    } else if (name === 'events') {
      response.writeHead(200, { ...commonHeaders, 'content-type': 'text/event-stream' });
      stream(sandbox, response, `${origin}${currentPrefix}`, url.searchParams.get('client') ?? undefined);
    } else {
      send(response, data(sandbox, origin, url));
    }
    return true;
  };
}
