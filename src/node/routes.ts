import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import { ConfigurationError } from '../errors/configuration-error.js';
import { modules } from './modules.js';
import type { CheckedOptions, OwnAgentOptions } from './options.js';

type Scheme = 'http' | 'https';

/** Begins a request to an http or https address. Nothing of it is sent before its `end` is called. */
export type Begin = (url: URL, options: RequestOptions) => ClientRequest;

/** Requests over the caller's agent, or over one of our own for each scheme, made when first needed. */
export function createRoutes(options: CheckedOptions): Begin {
  const agentFor = options.agent ? () => options.agent : ownAgents(options);
  return (url, request) => {
    const scheme: Scheme = url.protocol === 'https:' ? 'https' : 'http';
    try {
      return modules[scheme].request({
        ...request,
        // Brackets belong to the address, not to the host.
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port,
        path: url.pathname + url.search,
        protocol: url.protocol,
        agent: agentFor(scheme),
      });
    } catch (error) {
      if (Object(error).code !== 'ERR_INVALID_PROTOCOL') throw error;
      // Asked of Node, not of the agent: those of proxy packages serve both schemes, whatever they say.
      throw new ConfigurationError('agent', `cannot serve ${url.origin}; give an agent of node:${scheme}`);
    }
  };
}

function ownAgents({ maxSockets, keepAliveTimeout }: OwnAgentOptions): (scheme: Scheme) => Agent {
  const agents: Partial<Record<Scheme, Agent>> = {};
  return (scheme) => {
    agents[scheme] ??= new modules[scheme].Agent({ keepAlive: true, maxSockets, timeout: keepAliveTimeout });
    return agents[scheme];
  };
}
