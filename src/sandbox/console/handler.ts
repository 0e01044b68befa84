import type { Context } from 'hono';
import { callerOf, pageRefusal } from '../http/guard.js';
import type { ServerEnv } from '../http/server.js';

/** The page of a listening sandbox, at `/`. It holds no data: it reads and changes everything through the control API. */

interface ConsoleOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** The token that the control API asks for; undefined where it asks for none. */
  readonly token: string | undefined;
}

/** Responds with the page. */
export function createConsole({ host, token }: ConsoleOptions): (c: Context<ServerEnv>) => Promise<Response> {
  return async (c) => {
    c.header('cache-control', 'no-store');
    c.header('cross-origin-opener-policy', 'same-origin');
    c.header('cross-origin-resource-policy', 'same-origin');
    c.header('referrer-policy', 'no-referrer');
    c.header('x-content-type-options', 'nosniff');
    // Where a token protects the control API, the page may be reached by any name: that of a container, or through a forwarded port.
    const refusal = token === undefined ? pageRefusal(callerOf(c.env.incoming), host) : undefined;
    if (refusal !== undefined) return c.text(`${refusal}\n`, 403);
    // Only who opens the page pays for loading it.
    const { page, pagePolicy } = await import('./page.js');
    c.header('content-security-policy', pagePolicy);
    return c.html(page);
  };
}
