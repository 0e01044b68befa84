import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import { timingSafeEqual } from 'hono/utils/buffer';
import * as z from 'zod/mini';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { isRecord } from '../../utils/is-record.js';
import { callerOf, controlRefusal } from '../http/guard.js';
import { readBody, type ServerEnv } from '../http/server.js';
import { ChangeNotKept } from '../records/commit.js';
import { currentPrefix } from '../rules/routes.js';
import type { Sandbox } from '../types.js';
import { ForwardedWebhooks } from './forwarding.js';
import { openApiDocument } from './openapi.js';
import { ControlProblem, type ControlRoute, invalid, route } from './route.js';
import { controlRoutes } from './routes.js';

/** Where the control API is. */
export const controlPath = '/_sandbox';

interface ControlOptions {
  readonly sandbox: Sandbox;
  /** The address that the server listens on. */
  readonly host: string;
  /** The token that every request must carry; undefined where none is needed. */
  readonly token: string | undefined;
}

const routes: readonly ControlRoute[] = [
  ...controlRoutes,
  route('GET /openapi.json', {
    summary: 'This description.',
    returns: z.unknown(),
    handle: ({ baseUrl }) => openApiDocument(new URL(baseUrl).origin),
  }),
];

/** The control API, for `/_sandbox`. */
export function createControl({ sandbox, host, token }: ControlOptions): Hono<ServerEnv> {
  const running = { sandbox, forwarded: new ForwardedWebhooks(), runId: crypto.randomUUID() };
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    c.header('cache-control', 'no-store');
    c.header('cross-origin-resource-policy', 'same-origin');
    c.header('x-content-type-options', 'nosniff');
    if (token === undefined) refuseOthers(c, host);
    else await refuseWithout(token, c);
    await next();
  });
  for (const { method, path, answer } of routes) {
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
      const body = await jsonBody(c);
      const call = {
        ...running,
        baseUrl: `${originOf(c)}${currentPrefix}`,
        param: (name: string) => c.req.param(name) ?? '',
        context: c,
      };
      const value = await answer(call, c.req.query(), body);
      return value instanceof Response ? value : c.json(value as object);
    });
  }
  app.all('*', (c) => {
    throw noRoute(c.req.method, c.req.path);
  });
  return app.onError((error, c) => {
    c.env.incoming.resume();
    const { status, title, message } = problemOf(error);
    const problem = { type: 'about:blank', title, status, detail: message };
    return c.body(JSON.stringify(problem), status, { 'content-type': 'application/problem+json' });
  });
}

const originOf = (c: Context<ServerEnv>): string => `http://${c.env.incoming.headers.host}`;

function refuseOthers(c: Context<ServerEnv>, host: string): void {
  const refusal = controlRefusal(callerOf(c.env.incoming), host);
  if (refusal !== undefined) throw new ControlProblem(403, 'Refused', refusal);
}

async function refuseWithout(token: string, c: Context<ServerEnv>): Promise<void> {
  if (await timingSafeEqual(c.req.header('authorization') ?? '', `Bearer ${token}`)) return;
  throw new ControlProblem(
    401,
    'Control token needed',
    'Send the header "Authorization: Bearer TOKEN" with the control token that the sandbox was started with.',
  );
}

function noRoute(method: string, path: string): ControlProblem {
  const own = path.slice(controlPath.length);
  const isOwn = (pattern: string) => new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(own);
  const allowed = routes.filter((route) => isOwn(route.path)).map((route) => route.method);
  return allowed.length === 0
    ? new ControlProblem(
        404,
        'Not found',
        `There is no ${path}; ${controlPath}/openapi.json lists every route.`,
      )
    : new ControlProblem(405, 'Method not allowed', `${path} takes ${allowed.join(', ')}, not ${method}.`);
}

async function jsonBody(c: Context<ServerEnv>): Promise<Readonly<Record<string, unknown>>> {
  const text = await readBody(c.env.incoming);
  if (text === undefined) throw new ControlProblem(413, 'Too large', 'The body is larger than 1 MiB.');
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

function problemOf(error: Error): ControlProblem {
  if (error instanceof ControlProblem) return error;
  if (error instanceof ConfigurationError) return invalid(error.message);
  if (error instanceof ChangeNotKept) return new ControlProblem(500, 'Not kept', error.message);
  return new ControlProblem(
    500,
    'Internal error',
    `The sandbox failed here, which is a defect of it: ${error.message}`,
  );
}
