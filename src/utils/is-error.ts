import { readProperty } from './read-property.js';

/**
 * Whether a value is an Error of any realm: a test runner's sandbox, a frame and a vm have an `Error` of their own, and a transport may
 * run in another realm than this package. Never throws.
 */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
}

/** The name of a thrown error, or the type of any other thrown value. Never throws. */
export function nameOfThrown(thrown: unknown): string {
  const name = isError(thrown) ? readProperty(thrown, 'name') : typeof thrown;
  return typeof name === 'string' ? name : 'Error';
}
