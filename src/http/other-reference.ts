import { isBillPayError } from '../errors/index.js';
import { field } from '../utils/field.js';

/**
 * The reference that a status response names instead of the one that was asked for; undefined when it names that one, or none. A cache that
 * ignores the query, or a proxy that mixes up responses, gives the state of another sale.
 */
export function otherReference(body: unknown, asked: string): string | undefined {
  const reference = field(field(body, 'data'), 'reference');
  const text = typeof reference === 'number' ? String(reference) : reference;
  return typeof text === 'string' && text !== '' && text !== asked ? text : undefined;
}

/** The same for what a status lookup threw: the client refuses such a response. */
export const otherReferenceIn = (error: unknown, asked: string): string | undefined =>
  isBillPayError(error) && error.name === 'UnexpectedResponseError'
    ? otherReference(error.body, asked)
    : undefined;
