import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { isRecord } from '../../utils/is-record.js';
import { refuseUnknownOptions } from '../../validation/options.js';
import { callerOf, controlRefusal } from '../http/guard.js';
import { type FrontHandler, targetUrl } from '../http/server.js';
import { ChangeNotKept } from '../records/commit.js';
import { currentPrefix } from '../rules/routes.js';
import type { Sandbox } from '../types.js';
import { streamEvents } from './events.js';
import { Download } from './exports.js';
import { openApiDocument } from './openapi.js';
import { WebhookRelays } from './relay.js';
import { type ControlCall, ControlProblem, invalid, notFound } from './route.js';
import { decoded, matchRoute } from './router.js';

/** Where the control API is. */
export const controlPath = '/_sandbox';

const commonHeaders = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

interface ControlOptions {
  readonly sandbox: Sandbox;
  /** The address that the server listens on. */
  readonly host: string;
  /** The token that every request must carry; undefined where none is needed. */
  readonly token: string | undefined;
}

/** Serves `/_sandbox`; leaves every other path to the handlers after it. */
export function createControl(options: ControlOptions): FrontHandler {
  const running = { relays: new WebhookRelays(), runId: crypto.randomUUID() };
  return async (request, response) => {
    const url = targetUrl(request);
    if (url.pathname !== controlPath && !url.pathname.startsWith(`${controlPath}/`)) return false;
    try {
      checkAccess(request, options);
      await serve(request, response, url, { ...options, ...running });
    } catch (error) {
      request.resume();
      sendProblem(response, problemOf(error));
    }
    return true;
  };
}

function checkAccess(request: IncomingMessage, { host, token }: ControlOptions): void {
  if (token !== undefined) {
    if (isToken(request.headers.authorization, token)) return;
    throw new ControlProblem(
      401,
      'Control token needed',
      'Send the header "Authorization: Bearer TOKEN" with the control token that the sandbox was started with.',
    );
  }
  const refusal = controlRefusal(callerOf(request), host);
  if (refusal !== undefined) throw new ControlProblem(403, 'Refused', refusal);
}

/** Compared in constant time, as a token should be. */
function isToken(authorization: string | undefined, token: string): boolean {
  const { createHash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { sandbox, relays, runId }: ControlOptions & Pick<ControlCall, 'relays' | 'runId'>,
): Promise<void> {
  const method = request.method ?? 'GET';
  const path = url.pathname.slice(controlPath.length);
  const baseUrl = `http://${request.headers.host}${currentPrefix}`;
  if (method === 'GET' && path === '/events') {
    refuseUnknownOptions(Object.fromEntries(url.searchParams), ['client', 'summary'], 'this query');
    response.writeHead(200, { ...commonHeaders, 'content-type': 'text/event-stream' });
    streamEvents(sandbox, response, {
      clientId: url.searchParams.get('client') ?? undefined,
      withSummary: url.searchParams.has('summary'),
    });
    return;
  }
  if (method === 'GET' && path === '/openapi.json') {
    sendJson(response, 200, openApiDocument(`http://${request.headers.host}`));
    return;
  }
  const listener = method === 'POST' ? /^\/clients\/([^/]+)\/listen$/.exec(path)?.[1] : undefined;
  if (listener !== undefined) {
    const options = await readBody(request);
    const clientId = decoded(listener);
    if (!sandbox.clients.some((client) => client.clientId === clientId)) {
      throw notFound(`There is no client ${clientId} in this sandbox.`);
    }
    relays.open(sandbox, response, { ...options, clientId });
    return;
  }
  const match = matchRoute(method, path);
  if ('allow' in match) throw noRoute(method, url.pathname, match.allow);
  const body = await readBody(request);
  const { route, params } = match;
  const call = { sandbox, relays, baseUrl, runId, params };
  const value = await route.answer(call, Object.fromEntries(url.searchParams), body);
  if (value instanceof Download) sendDownload(response, value);
  else sendJson(response, 200, value);
}

function noRoute(method: string, path: string, allow: readonly string[]): ControlProblem {
  return allow.length === 0
    ? new ControlProblem(
        404,
        'Not found',
        `There is no ${path}; ${controlPath}/openapi.json lists every route.`,
      )
    : new ControlProblem(405, 'Method not allowed', `${path} takes ${allow.join(', ')}, not ${method}.`);
}

const maxBodyBytes = 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length <= maxBodyBytes) chunks.push(chunk);
  }
  if (length > maxBodyBytes) throw new ControlProblem(413, 'Too large', 'The body is larger than 1 MiB.');
  const text = Buffer.concat(chunks).toString('utf8');
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('The body must be JSON; this text cannot be parsed.');
  }
  if (!isRecord(value)) throw invalid('The body must be a JSON object.');
  return value;
}

function problemOf(error: unknown): ControlProblem {
  if (error instanceof ControlProblem) return error;
  if (error instanceof ConfigurationError) return invalid(error.message);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ChangeNotKept) return new ControlProblem(500, 'Not kept', message);
  return new ControlProblem(
    500,
    'Internal error',
    `The sandbox failed here, which is a defect of it: ${message}`,
  );
}

function sendProblem(response: ServerResponse, { status, title, message }: ControlProblem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const problem = { type: 'about:blank', title, status, detail: message };
  response.writeHead(status, { ...commonHeaders, 'content-type': 'application/problem+json' });
  response.end(JSON.stringify(problem));
}

function sendDownload(response: ServerResponse, { name, contentType, text }: Download): void {
  response.writeHead(200, {
    ...commonHeaders,
    'content-type': contentType,
    'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`,
  });
  response.end(text);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { ...commonHeaders, 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
