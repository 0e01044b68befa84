import type * as DiagnosticsChannel from 'node:diagnostics_channel';
import { once } from '../utils/functions.js';
import { readProperty } from '../utils/unknown.js';

/** What the runtime tells about one attempt while it is under way. */
export interface Watch {
  /**
   * Whether the runtime proves that nothing of the attempt was sent: what `fetch` threw is the very error that it told of for a connection that was
   * not made, and from the beginning of the attempt on no head of a request to this origin was written, whoever wrote it. What has
   * replaced `fetch` or its dispatcher, and when, does not matter: whatever it sent before it failed was seen.
   */
  provesUnsent(thrown: unknown): boolean;
  end(): void;
}

interface Attempt {
  readonly host: string;
  readonly path: string;
  isWritten: boolean;
  readonly notConnected: unknown[];
}

const attempts = new Set<Attempt>();

/** Begins to watch the requests to the origin of `url`. Where the runtime tells nothing, as every one but Node, nothing is proved. */
export function watchWire(url: string): Watch {
  listen();
  const { host, pathname } = new URL(url);
  const attempt: Attempt = { host, path: pathname, isWritten: false, notConnected: [] };
  attempts.add(attempt);
  return {
    provesUnsent: (thrown) =>
      !attempt.isWritten &&
      attempt.notConnected.some((error) => error === thrown || error === readProperty(thrown, 'cause')),
    end: () => attempts.delete(attempt),
  };
}

/** A head of a request was handed to a connection, or may have been. A proxy or a rewriting `fetch` has another host and the same path. */
function written(host: unknown, path: unknown): void {
  for (const attempt of attempts) {
    attempt.isWritten ||= host === attempt.host || String(path).includes(attempt.path);
  }
}

/** Listens from the first attempt on. `fetch` of Node and the package undici write to the first two channels, node:http to the others. */
const listen = once(() => {
  // Without an import, which bundlers for other runtimes could not resolve.
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => typeof DiagnosticsChannel | undefined };
  };
  const channels = process?.getBuiltinModule?.('node:diagnostics_channel');
  const on = (name: string, heard: (message: object) => void) =>
    channels?.subscribe(name, (message) => heard(Object(message)));
  on('undici:client:sendHeaders', (message) => {
    const request = readProperty(message, 'request');
    const origin = String(readProperty(request, 'origin'));
    written(URL.canParse(origin) ? new URL(origin).host : origin, readProperty(request, 'path'));
  });
  on('undici:client:connectError', (message) => {
    for (const { notConnected } of attempts) notConnected.push(readProperty(message, 'error'));
  });
  // The first comes before anything can have been written; Node 20 has the second alone.
  for (const name of ['http.client.request.created', 'http.client.request.start']) {
    on(name, (message) => {
      const request = readProperty(message, 'request');
      const getHeader = readProperty(request, 'getHeader');
      const host = typeof getHeader === 'function' ? getHeader.call(request, 'host') : undefined;
      written(host, readProperty(request, 'path'));
    });
  }
});

/** Bun, Deno and workerd name the version of undici for the sake of compatibility, and have a `fetch` of their own. */
const isOtherRuntime =
  'Bun' in globalThis ||
  'Deno' in globalThis ||
  readProperty(Reflect.get(globalThis, 'navigator'), 'userAgent') === 'Cloudflare-Workers';

/** Whether the global `fetch` is that of Node, or stands on it: it sends a POST again by itself after a 421, unless its body is a stream. */
export const isNodeFetch =
  !isOtherRuntime &&
  readProperty(readProperty(Reflect.get(globalThis, 'process'), 'versions'), 'undici') !== undefined;
