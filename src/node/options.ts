import type { Agent } from 'node:http';
import { assertOption, longestTimerMs, refuseUnknownOptions } from '../validation/options.js';

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
export interface OwnAgentOptions {
  readonly agent?: undefined;
  readonly maxSockets: number;
  readonly keepAliveTimeout: number;
}

/** Options after checks and defaults. */
export type CheckedOptions = { readonly agent: Agent } | OwnAgentOptions;

const names: readonly (keyof NodeTransportOptions)[] = ['agent', 'maxSockets', 'keepAliveTimeout'];

/** Checks the options of `nodeTransport` and fills in the defaults. */
export function checkOptions(given: NodeTransportOptions): CheckedOptions {
  refuseUnknownOptions(given, names, 'nodeTransport');
  const { agent, maxSockets = Number.POSITIVE_INFINITY, keepAliveTimeout = 4000 } = given;
  if (agent !== undefined) {
    assertOption(
      isAgent(agent),
      'agent',
      'must be an agent of node:http or node:https, such as new https.Agent({ keepAlive: true, ca })',
    );
    for (const name of ['maxSockets', 'keepAliveTimeout'] as const) {
      assertOption(given[name] === undefined, name, 'does not go with agent: set it on the agent');
    }
    return { agent };
  }
  assertOption(
    maxSockets === Number.POSITIVE_INFINITY || (Number.isSafeInteger(maxSockets) && maxSockets > 0),
    'maxSockets',
    'must be a whole number of at least 1, or Infinity',
  );
  assertOption(
    typeof keepAliveTimeout === 'number' && keepAliveTimeout > 0 && keepAliveTimeout <= longestTimerMs,
    'keepAliveTimeout',
    `must be a number of milliseconds above 0 and at most ${longestTimerMs}`,
  );
  return { maxSockets, keepAliveTimeout };
}

/** By the method that node:http calls: agents come from packages, too. */
const isAgent = (agent: unknown): agent is Agent =>
  typeof agent === 'object' && agent !== null && typeof Reflect.get(agent, 'addRequest') === 'function';
