import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono/tiny';
import { version } from '../version.js';
import { createConsole } from './console/handler.js';
import { controlPath, createControl } from './control/app.js';
import type { NodeListener, ServerEnv } from './http/server.js';
import { createService, type ServiceOptions } from './http/service.js';
import { currentPrefix } from './rules/routes.js';
import type { Sandbox } from './types.js';

interface AppOptions extends ServiceOptions {
  readonly sandbox: Sandbox;
}

/** What responds to the requests to a sandbox: its health, its control API, its page, and the service at every other path. */
export function createListener(options: AppOptions): NodeListener {
  const { sandbox, host, controlToken: token } = options;
  const app = new Hono<ServerEnv>();
  // For container health checks: no token, no check of the Host, nothing worth protecting.
  app.all('/health', (c) => {
    c.env.incoming.resume();
    const { method } = c.req;
    c.header('cache-control', 'no-store');
    if (method !== 'GET' && method !== 'HEAD') return c.json({}, 405, { allow: 'GET, HEAD' });
    return c.json({ status: 'ok', version, now: sandbox.now });
  });
  app.route(controlPath, createControl({ sandbox, host, token }));
  app.get('/', createConsole({ host, token }));
  const service = createService(options);
  app.all('*', async ({ req, env: { incoming, outgoing } }) => {
    await service(incoming, outgoing, new URL(req.url));
    return RESPONSE_ALREADY_SENT;
  });
  // The handlers read and drop bodies themselves; the globals of the process are its own.
  const respond = getRequestListener(app.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });
  // Nothing else is below the prefix of the service, so that a purchase needs no router.
  const prefix = `${currentPrefix}/`;
  return (request, response, url) =>
    url.pathname.startsWith(prefix) ? service(request, response, url) : respond(request, response);
}
