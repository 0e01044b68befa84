import * as z from 'zod/mini';
import { ConfigurationError } from '../errors/configuration-error.js';
import type { AttemptInfo } from '../options.js';
import { nameOfThrown } from '../utils/is-error.js';
import { headers } from '../validation/option-kinds.js';
import { optionsOf, parseOptions } from '../validation/parse-options.js';
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
  const sets = options.headers.map((source) =>
    typeof source === 'function' ? headersFrom(source, info) : source,
  );
  return { ...wire, headers: Object.assign({}, wire.headers, ...sets) };
}

/** What a caller's function returned, checked like an option. */
const returned = optionsOf({ headers: z._default(headers(), {}) });

function headersFrom(
  source: (attempt: AttemptInfo) => Record<string, string>,
  info: AttemptInfo,
): Record<string, string> {
  let result: unknown;
  try {
    result = source(info);
  } catch (error) {
    throw new ConfigurationError('headers', `is a function that threw (${nameOfThrown(error)})`);
  }
  return parseOptions(returned, { headers: result }, { owner: 'headers' }).headers;
}
