/**
 * Reads a property of any value. Undefined where that throws: an error may have getters that throw, or be a proxy whose traps do, and
 * reporting one error must not raise another.
 */
export function readProperty(value: unknown, name: PropertyKey): unknown {
  try {
    return value === null || value === undefined ? undefined : Reflect.get(Object(value), name);
  } catch {
    return undefined;
  }
}

/** Reads an own property of an unknown value. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** Whether a value is an object with named fields: neither null nor an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an error carries one of these codes of a system, such as `ENOENT`. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => {
  const code = readProperty(error, 'code');
  return codes.some((one) => one === code);
};

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
