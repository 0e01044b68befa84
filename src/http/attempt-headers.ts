import { ConfigurationError } from '../errors/configuration-error.js';
import { nameOfThrown } from '../errors/is-error.js';
import type { AttemptInfo } from '../options.js';
import { checkedHeaders } from '../validation/client-options.js';
import type { PreparedCall } from './prepared-call.js';
import type { TransportRequest } from './transport.js';

/**
 * The request of one attempt: the same each time, but for the headers that the caller's functions return.
 *
 * @throws `ConfigurationError` where such a function throws, or returns headers that cannot be sent.
 */
export function requestForAttempt(
  { wire, options, operation, idempotencyKey }: PreparedCall<unknown>,
  attempt: number,
): TransportRequest {
  if (!options.headers.some((source) => typeof source === 'function')) return wire;
  const info = { operation, attempt, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const headers = options.headers.map((source) =>
    typeof source === 'function' ? headersFrom(source, info) : source,
  );
  return { ...wire, headers: Object.assign({}, wire.headers, ...headers) };
}

function headersFrom(
  source: (attempt: AttemptInfo) => Record<string, string>,
  info: AttemptInfo,
): Record<string, string> {
  let headers: unknown;
  try {
    headers = source(info);
  } catch (error) {
    throw new ConfigurationError('headers', `is a function that threw (${nameOfThrown(error)})`);
  }
  return checkedHeaders(headers);
}
