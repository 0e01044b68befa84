import { deepEqual, rejects } from 'node:assert/strict';
import { isRecord } from '../../../../src/utils/unknown.js';

const isPlain = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;

/** What `actual` has of the fields that `expected` names, at any depth. */
function sameFields(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length === expected.length) {
    return actual.map((value, at) => sameFields(value, expected[at]));
  }
  if (!isPlain(expected) || !isRecord(actual)) return actual;
  return Object.fromEntries(
    Object.keys(expected).map((name) => [name, sameFields(actual[name], expected[name])]),
  );
}

/** Compares the fields that `expected` names, and no others. A field that is missing equals one that is `undefined`. */
export function matches(actual: unknown, expected: object, message?: string): void {
  deepEqual(sameFields(actual, expected), expected, message);
}

/** Checks that a promise rejects with an error of this name. By name, because a store may be of the other module format than the test. */
export const rejectsWith = (promise: Promise<unknown>, name: string): Promise<void> =>
  rejects(promise, { name });

/** The value, which must be there. */
export function present<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`${what} is undefined`);
  return value;
}
