import type { ServerResponse } from 'node:http';
import { callerOf, pageRefusal } from '../http/guard.js';
import { type FrontHandler, targetUrl } from '../http/server.js';

/** The page of a listening sandbox, at `/`. It holds no data: it reads and changes everything through the control API. */

const commonHeaders = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

interface ConsoleOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** The token that the control API asks for; undefined where it asks for none. */
  readonly token: string | undefined;
}

const isRead = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

/** Serves the page; leaves every other path to the handlers after it. */
export function createConsole({ host, token }: ConsoleOptions): FrontHandler {
  return async (request, response) => {
    if (targetUrl(request).pathname !== '/' || !isRead(request.method)) return false;
    // Where a token protects the control API, the page may be reached by any name: that of a container, or through a forwarded port.
    const refusal = token === undefined ? pageRefusal(callerOf(request), host) : undefined;
    if (refusal === undefined) await sendPage(response);
    else response.writeHead(403, { ...commonHeaders, 'content-type': 'text/plain' }).end(`${refusal}\n`);
    return true;
  };
}

async function sendPage(response: ServerResponse): Promise<void> {
  // Only who opens the page pays for loading it.
  const { page, pagePolicy } = await import('./page.js');
  response
    .writeHead(200, {
      ...commonHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy,
    })
    .end(page);
}
