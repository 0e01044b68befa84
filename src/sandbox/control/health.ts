import { version } from '../../version.js';
import { type FrontHandler, targetUrl } from '../http/server.js';
import type { Sandbox } from '../types.js';

/** `GET /health`, for container health checks: no token, no Host check, nothing worth protecting. */
export function createHealth(sandbox: Sandbox): FrontHandler {
  return (request, response) => {
    if (targetUrl(request).pathname !== '/health') return false;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    request.resume();
    response.writeHead(isRead ? 200 : 405, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(isRead ? {} : { allow: 'GET, HEAD' }),
    });
    response.end(isRead ? JSON.stringify({ status: 'ok', version, now: sandbox.now }) : '{}');
    return true;
  };
}
