import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { Hono } from 'hono/tiny';
import { timingSafeEqual } from 'hono/utils/buffer';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ConfigurationError } from '../../errors/base.js';
import { controlRefusal } from '../http/guard.js';
import { ChangeNotKept } from '../records/changes.js';
import type { Sandbox } from '../types.js';
import { clientRoutes } from './clients.js';
import { environmentRoutes } from './environment.js';
import { eventRoutes } from './events.js';
import { recordRoutes } from './records.js';

/** Where the control API is. */
const controlPath = '/_sandbox';

interface ControlOptions {
  readonly sandbox: Sandbox;
  /** The address that the server listens on. */
  readonly host: string;
  /** The token that every request must carry; undefined where none is needed. */
  readonly token: string | undefined;
}

/**
 * The control API, for `/_sandbox`: what the code API can do, in the JSON of its own objects. Errors are JSON problems (RFC 9457) whose
 * `detail` says what to do.
 */
export function createControl({ sandbox, host, token }: ControlOptions): Hono {
  const app = new Hono().basePath(controlPath);
  app.use(async (c, next) => {
    c.header('cache-control', 'no-store');
    c.header('cross-origin-resource-policy', 'same-origin');
    c.header('x-content-type-options', 'nosniff');
    const refusal = controlRefusal(c.req.raw, host);
    if (refusal !== undefined) return problem(c, 403, 'Refused', refusal);
    const given = c.req.header('authorization') ?? '';
    if (token !== undefined && !(await timingSafeEqual(given, `Bearer ${token}`))) {
      return problem(c, 401, 'Control token needed', tokenNeeded);
    }
    return next();
  });
  app.use(async (c, next) => {
    // `curl --data` says that its JSON is a form, and many programs say nothing.
    if ((await c.req.text()).trim() === '') c.req.raw.headers.delete('content-type');
    else c.req.raw.headers.set('content-type', 'application/json');
    return next();
  });
  for (const routes of [recordRoutes, clientRoutes, environmentRoutes, eventRoutes]) {
    app.route('/', routes(sandbox));
  }
  app.notFound((c) => {
    const known = app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`);
    const text = `There is no ${c.req.method} ${c.req.path}. There are: ${[...new Set(known)].join(', ')}.`;
    return problem(c, 404, 'Not found', text);
  });
  return app.onError((error, c) => {
    if (error instanceof ConfigurationError) return problem(c, 400, 'Invalid request', error.message);
    if (error instanceof HTTPException) {
      return problem(c, error.status, error.status === 404 ? 'Not found' : 'Invalid request', error.message);
    }
    if (error instanceof ChangeNotKept) return problem(c, 500, 'Not kept', error.message);
    const text = `The sandbox failed here, which is a defect of it: ${error.message}`;
    return problem(c, 500, 'Internal error', text);
  });
}

const tokenNeeded =
  'Send the header "Authorization: Bearer TOKEN" with the control token that the sandbox was started with.';

function problem(c: Context, status: ContentfulStatusCode, title: string, detail: string): Response {
  c.header('content-type', 'application/problem+json');
  return c.body(JSON.stringify({ type: 'about:blank', title, status, detail }), status);
}
