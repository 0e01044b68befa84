import type { IncomingHttpHeaders } from 'node:http';

/** What of a request decides whether the console answers it. */
export interface Caller {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that the connection came in on. */
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
}

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address).toLowerCase();

/**
 * The `Host` values that mean this sandbox. A name that an attacker's DNS points here is none of them: loopback's own names, the
 * host it was told to listen on, and the address that the connection really came in on.
 */
function ownHosts({ localAddress, localPort }: Caller, toldHost: string): readonly string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]', inUrl(toldHost)];
  if (localAddress !== undefined) names.push(inUrl(localAddress.replace(/^::ffff:/, '')));
  const withPort = names.map((name) => `${name}:${localPort}`);
  return localPort === 80 ? [...withPort, ...names] : withPort;
}

/** Why the page is refused, undefined when it is not. Any link may lead to it: it holds no data and no frame may hold it. */
export function pageRefusal(caller: Caller, toldHost: string): string | undefined {
  const host = caller.headers.host?.toLowerCase();
  const own = ownHosts(caller, toldHost);
  if (host !== undefined && own.includes(host)) return undefined;
  return `The console answers only to the Host of its own address, such as ${own[0]}.`;
}

/** Why data or a change is refused: only the page itself may ask, by its own address. */
export function dataRefusal(caller: Caller, toldHost: string): string | undefined {
  const wrongHost = pageRefusal(caller, toldHost);
  if (wrongHost !== undefined) return wrongHost;
  const { headers, method } = caller;
  const site = headers['sec-fetch-site'];
  const typedByHand = site === 'none' && method !== 'POST';
  const crossSite = site !== undefined && site !== 'same-origin' && !typedByHand;
  const crossOrigin =
    headers.origin !== undefined && headers.origin !== `http://${headers.host?.toLowerCase()}`;
  if (crossSite || crossOrigin) return 'The console takes no requests from other pages.';
  // A form of another page can post text, but no JSON without being asked for leave, which is never given.
  if (method === 'POST' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    return 'The console takes application/json only.';
  }
  return undefined;
}
