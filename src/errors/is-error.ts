/**
 * Whether something is an Error, of whichever realm: a test runner's sandbox, a frame and a vm have an `Error` of their own, and a
 * transport's errors then come from the other side. Never throws.
 */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
}
