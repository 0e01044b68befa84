import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import { ConfigurationError } from '../errors/configuration-error.js';
import { hasCode } from '../utils/unknown.js';
import { modules } from './modules.js';
import type { CheckedOptions, OwnAgentOptions } from './options.js';

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

function ownAgents({ maxSockets, keepAliveTimeout }: OwnAgentOptions): (scheme: Scheme) => Agent {
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
