import { version } from '../version.js';
import type { ClientConfig, ResolvedCallOptions } from './client-config.js';
import { withClientId } from './serialise.js';
import type { TransportRequest } from './transport.js';

/** The parts of a request that differ from call to call. */
export interface RequestParts {
  readonly method: string;
  /** Relative to the base address, beginning with a slash. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The JSON text of the body. Not for GET. */
  readonly body: string | undefined;
}

/**
 * Builds the request that every attempt of a call sends. `client_id` (in the query of a GET, else in the body) and the
 * API key are added here and nowhere else.
 */
export function buildRequest(
  client: ClientConfig,
  options: ResolvedCallOptions,
  { method, path, query, body = '{}' }: RequestParts,
): TransportRequest {
  const isGet = method === 'GET';
  const search = new URLSearchParams([
    ...(isGet ? [['client_id', client.clientId]] : []),
    ...query.map(([name, value]) => [name, value]),
  ]).toString();
  return {
    method,
    url: `${client.baseUrl}${path}${search && `?${search}`}`,
    headers: {
      accept: 'application/json',
      ...userAgent,
      ...fixedHeaders(options.headers),
      'content-type': 'application/json',
      authorization: `Bearer ${client.apiKey}`,
    },
    body: isGet ? undefined : withClientId(client.clientId, body),
  };
}

/** The headers that are the same for every attempt. */
const fixedHeaders = (sources: ResolvedCallOptions['headers']): Record<string, string> =>
  Object.assign({}, ...sources.filter((source) => typeof source !== 'function'));

/** Left out in browsers, where it would cost every call a preflight request. */
const userAgent = 'document' in globalThis ? {} : { 'user-agent': `billpay-sdk/${version}` };
