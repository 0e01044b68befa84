/** Stands in print for a value whose properties cannot be listed. */
export const unreadable = '[unreadable]';

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
