import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import { ConfigurationError } from '../errors/base.js';
import { once } from '../utils/functions.js';
import { hasCode, readProperty } from '../utils/unknown.js';
import { instance, ms, type OptionShape, optional, optionsOf, parseOptions } from '../validation/options.js';

/** An `http.Agent` or `https.Agent`: Node's own, or one of a package such as `https-proxy-agent`. */
export interface NodeAgent {
  /** Closes every connection that it holds. */
  destroy(): void;
  /** Requests that wait for a connection, by origin. */
  readonly requests: object;
}

/** Options for `nodeTransport`. */
export interface NodeTransportOptions {
  /**
   * Your own agent: for a proxy, a custom CA, a client certificate. An `https.Agent` serves only https addresses and an
   * `http.Agent` only http ones. It keeps its own limits: not with `maxSockets` or `keepAliveTimeout`, and it must have
   * `keepAlive: true` to be of use. Default: agents of this transport's own.
   */
  agent?: NodeAgent | undefined;
  /** The largest number of connections to one origin; further requests wait for one, within their time-outs. Default: no limit. */
  maxSockets?: number | undefined;
  /**
   * How long an idle connection is kept, in ms. Choose less than the server's own limit; a shorter `Keep-Alive: timeout` of the
   * server is obeyed. Default 4,000.
   */
  keepAliveTimeout?: number | undefined;
}

/** Settings of this transport's own agents. */
export interface AgentLimits {
  readonly agent?: undefined;
  readonly maxSockets: number;
  readonly keepAliveTimeout: number;
}

/** Options after checks and defaults. */
export type CheckedOptions = { readonly agent: Agent } | AgentLimits;

/** By the method that node:http calls: agents come from packages, too. */
const isAgent = (agent: unknown): boolean => typeof readProperty(agent, 'addRequest') === 'function';

const schema = optionsOf({
  agent: optional(
    instance<Agent>(
      isAgent,
      'must be an agent of node:http or node:https, such as new https.Agent({ keepAlive: true, ca })',
    ),
  ),
  maxSockets: optional(
    instance<number>(
      (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) > 0),
      'must be a whole number of at least 1, or Infinity',
    ),
  ),
  keepAliveTimeout: optional(ms()),
} satisfies OptionShape<NodeTransportOptions>);

/** Checks the options of `nodeTransport` and fills in the defaults. */
export function checkOptions(given: NodeTransportOptions): CheckedOptions {
  const { agent, ...own } = parseOptions(schema, given, { owner: 'nodeTransport' });
  const { maxSockets = Number.POSITIVE_INFINITY, keepAliveTimeout = 4000 } = own;
  if (!agent) return { maxSockets, keepAliveTimeout };
  for (const name of ['maxSockets', 'keepAliveTimeout'] as const) {
    if (own[name] !== undefined)
      throw new ConfigurationError(name, 'does not go with agent: set it on the agent');
  }
  return { agent };
}

type Scheme = 'http' | 'https';

/** Begins a request to an http or https address. Nothing of it is sent before its `end` is called. */
export type Begin = (url: URL, options: RequestOptions) => ClientRequest;

/** Uses the caller's agent, or one of our own for each scheme, created on first use. */
export function createRoutes(options: CheckedOptions): Begin {
  const agentFor = options.agent ? () => options.agent : ownAgents(options);
  return (url, request) => {
    const scheme: Scheme = url.protocol === 'https:' ? 'https' : 'http';
    try {
      return modules[scheme]().request({
        ...request,
        // The brackets of an IPv6 address belong to the URL, not to the host name.
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port,
        path: url.pathname + url.search,
        protocol: url.protocol,
        agent: agentFor(scheme),
      });
    } catch (error) {
      if (!hasCode(error, 'ERR_INVALID_PROTOCOL')) throw error;
      // Node decides, not the `protocol` of the agent: agents of proxy packages serve both schemes, whatever it says.
      throw new ConfigurationError('agent', `cannot serve ${url.origin}; give an agent of node:${scheme}`);
    }
  };
}

function ownAgents({ maxSockets, keepAliveTimeout }: AgentLimits): (scheme: Scheme) => Agent {
  const agents: Partial<Record<Scheme, Agent>> = {};
  return (scheme) => {
    agents[scheme] ??= new (modules[scheme]().Agent)({
      keepAlive: true,
      maxSockets,
      timeout: keepAliveTimeout,
    });
    return agents[scheme];
  };
}

/**
 * Node's own modules, loaded on first use: a static import of node:http makes every start 17 to 28 ms slower on Node 24, even for
 * programs that never create a transport.
 */
export const modules = {
  http: once(() => process.getBuiltinModule('node:http')),
  https: once(() => process.getBuiltinModule('node:https')),
  zlib: once(() => process.getBuiltinModule('node:zlib')),
};

/** Throws where these modules are missing, as in browsers: when a transport is created, not at the first purchase. */
export function needNode(): void {
  const { process } = globalThis as { process?: { getBuiltinModule?: unknown } };
  if (typeof process?.getBuiltinModule !== 'function') {
    throw new ConfigurationError(
      'nodeTransport',
      'needs Node 20.16, 22.3 or later, for node:http; elsewhere leave the option transport out',
    );
  }
}
