import { readProperty } from '../utils/read-property.js';
import { isError } from './is-error.js';
import type { TextRedactor } from './redacted-text.js';

const maxCauses = 6;
const maxThrownText = 500;

/** The fields of a system error that describe what happened on the network. */
const systemFields = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const;

/**
 * A copy of a foreign error that is safe to print: name, message, stack, system fields and its own cause. Transports attach whole requests
 * to their errors, API key included; those are left out. Undefined for undefined and null.
 *
 * @param depth - how many errors this one is the cause of.
 */
export function redactedError(error: unknown, redactor: TextRedactor, depth = 0): Error | undefined {
  if (error === undefined || error === null || depth >= maxCauses) return undefined;
  if (!isError(error)) return new Error(textOf(error, redactor).slice(0, maxThrownText));
  const cause = redactedError(readProperty(error, 'cause'), redactor, depth + 1);
  const message = textOf(readProperty(error, 'message') ?? '', redactor);
  const copy = new Error(message, cause ? { cause } : undefined);
  const name = textOf(readProperty(error, 'name') ?? 'Error', redactor);
  const stack = readProperty(error, 'stack');
  Object.defineProperty(copy, 'name', { value: name, enumerable: false });
  if (stack) Object.defineProperty(copy, 'stack', { value: textOf(stack, redactor), enumerable: false });
  for (const field of systemFields) {
    const value = readProperty(error, field);
    if (typeof value === 'string') Object.assign(copy, { [field]: redactor.text(value) });
    if (typeof value === 'number') Object.assign(copy, { [field]: value });
  }
  return copy;
}

/** Any value may be thrown, also one that cannot be converted to text. */
function textOf(value: unknown, redactor: TextRedactor): string {
  try {
    return redactor.text(String(value));
  } catch {
    return 'a value that has no text';
  }
}
