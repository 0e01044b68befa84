import { isLoopbackHost } from '../../contract/field-rules.js';
import { webhookHeaders } from '../../contract/vocabulary.js';

/** The parts of a request that decide whether it is served. */
type Caller = Pick<Request, 'method' | 'headers'>;

/** The names by which a container reaches the machine that it runs on. */
const nameInContainer = /^host\.(docker|containers)\.internal$/;

/** Whether a name leads to this machine and can be registered by nobody. */
const isLocalName = (name: string): boolean => isLoopbackHost(name) || nameInContainer.test(name);

/**
 * Why a request is refused for its `Host`; undefined when it is not. A page in a browser always sends one, and can be led here by a name that
 * its own DNS server points to this machine. Only the name counts, because a forwarded port has another number. A sandbox that lets other
 * machines in is used by names that it cannot know; its token protects what is not the service.
 */
export function hostRefusal(
  { headers }: { readonly headers: { get(name: string): string | null | undefined } },
  listenHost: string,
): string | undefined {
  const name = headers.get('host')?.toLowerCase().replace(/:\d+$/, '');
  if (!isLoopbackHost(listenHost) || name === undefined || isLocalName(name)) return undefined;
  return 'The sandbox accepts only the Host of its own address, such as 127.0.0.1; to use it by another name, start it with --allow-remote.';
}

/**
 * Why a control request is refused; undefined when it is not. Programs without a browser need neither an Origin nor a Content-Type; a page
 * of another origin gets nothing, and cannot post.
 */
export function controlRefusal(caller: Caller, listenHost: string): string | undefined {
  const { headers, method } = caller;
  if (headers.has(webhookHeaders.signature)) {
    return 'A webhook is no request to the control API: subscribe the address of a receiver.';
  }
  const wrongHost = hostRefusal(caller, listenHost);
  if (wrongHost !== undefined) return wrongHost;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const type = headers.get('content-type');
  const changes = method !== 'GET' && method !== 'HEAD';
  const typedByHand = site === 'none' && !changes;
  const crossSite = site !== null && site !== 'same-origin' && !typedByHand;
  const crossOrigin =
    origin !== null && origin.replace(/^https?:\/\//, '') !== headers.get('host')?.toLowerCase();
  if (crossSite || crossOrigin) return 'Requests from pages of another origin are refused.';
  const isBrowser = site !== null || origin !== null;
  // A form of another page can post text, but no JSON without being asked for leave, which is never given.
  if (isBrowser && changes && !/^application\/json\s*(;|$)/i.test(type ?? '')) {
    return 'Content-Type must be application/json.';
  }
  return undefined;
}
