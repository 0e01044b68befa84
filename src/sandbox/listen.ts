import { Hono } from 'hono/tiny';
import { version } from '../version.js';
import { createConsole } from './console/handler.js';
import { controlPath, createControl } from './control/app.js';
import type { Listening, ResolvedListenOptions } from './http/listen-options.js';
import { type ServerEnv, startServer } from './http/server.js';
import { createService, type ServiceOptions } from './http/service.js';
import type { Sandbox } from './types.js';

interface SandboxServer extends ResolvedListenOptions, Pick<ServiceOptions, 'handleRequest' | 'onRefused'> {
  readonly sandbox: Sandbox;
}

/** Puts a sandbox on a port: its health, its control API, its page, and the service at every other path. */
export function listen(server: SandboxServer): Promise<Listening> {
  const { sandbox, host, controlToken: token } = server;
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
  app.route('/', createService(server));
  return startServer({ ...server, app });
}
