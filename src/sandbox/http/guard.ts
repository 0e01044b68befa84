import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { webhookHeaders } from '../../contract/vocabulary.js';

/** The parts of a request that decide whether the console and the control API serve it. */
export interface Caller {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that the connection came in on. */
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
}

export const callerOf = ({ method = 'GET', headers, socket }: IncomingMessage): Caller => ({
  method,
  headers,
  localAddress: socket.localAddress,
  localPort: socket.localPort,
});

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address).toLowerCase();

/**
 * The `Host` values that mean this sandbox: the loopback names, the host that it listens on, and the address that the connection
 * came in on. A name that an attacker's DNS server points here is not among them.
 */
function ownHosts({ localAddress, localPort }: Caller, host: string): readonly string[] {
  const names = ['127.0.0.1', 'localhost', '[::1]', inUrl(host)];
  if (localAddress !== undefined) names.push(inUrl(localAddress.replace(/^::ffff:/, '')));
  const withPort = names.map((name) => `${name}:${localPort}`);
  return localPort === 80 ? [...withPort, ...names] : withPort;
}

/** Why the page is refused; undefined when it is not. Any site may link to it: it contains no data and cannot be framed. */
export function pageRefusal(caller: Caller, listenHost: string): string | undefined {
  const host = caller.headers.host?.toLowerCase();
  const own = ownHosts(caller, listenHost);
  if (host !== undefined && own.includes(host)) return undefined;
  return `This page and its API accept only the Host of their own address, such as ${own[0]}.`;
}

/** Names that lead to this machine and that nobody can register, containers' names for it among them. */
const localName = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|host\.(docker|containers)\.internal)$/;

/**
 * Why a request to the service is refused; undefined when it is not. Only the name counts, because a forwarded port has another number. A
 * page in a browser always sends a `Host`.
 */
export function serviceRefusal({ headers: { host } }: Caller, listenHost: string): string | undefined {
  const name = host?.toLowerCase().replace(/:\d+$/, '');
  if (name === undefined || localName.test(name) || name === inUrl(listenHost)) return undefined;
  return 'The sandbox accepts only the Host of its own address, such as 127.0.0.1; to use it by another name, start it with --allow-remote.';
}

/**
 * Why a control request is refused; undefined when it is not. Programs without a browser need neither an Origin nor a Content-Type; a page
 * of another origin gets nothing, and cannot post.
 */
export function controlRefusal(caller: Caller, listenHost: string): string | undefined {
  const { headers, method } = caller;
  if (headers[webhookHeaders.signature.toLowerCase()] !== undefined) {
    return 'A webhook is no request to the control API: subscribe the address of a receiver.';
  }
  const wrongHost = pageRefusal(caller, listenHost);
  if (wrongHost !== undefined) return wrongHost;
  const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = headers;
  const changes = method !== 'GET' && method !== 'HEAD';
  const typedByHand = site === 'none' && !changes;
  const crossSite = site !== undefined && site !== 'same-origin' && !typedByHand;
  const crossOrigin = origin !== undefined && origin !== `http://${headers.host?.toLowerCase()}`;
  if (crossSite || crossOrigin) return 'Requests from pages of another origin are refused.';
  const isBrowser = site !== undefined || origin !== undefined;
  // A form of another page can post text, but no JSON without being asked for leave, which is never given.
  if (isBrowser && changes && !/^application\/json\s*(;|$)/i.test(type)) {
    return 'Content-Type must be application/json.';
  }
  return undefined;
}
