import { isError } from './is-error.js';

/**
 * Keeps secrets out of everything printable: API keys, webhook secrets, electricity tokens, PINs.
 * Values are recognised by the name of their field and, in free text, by their look.
 */

const redacted = '[redacted]';

const secretField =
  /^(.*tokens?|.*secrets?|.*pins?|pin_?codes?|serial.*|.*password|authorization|.*api_?key|cookie|set-cookie)$/i;

/** Fields whose name looks secret but whose value never is. */
const openField = /^idempotency_?key$/i;

/** Not within a word of the language (`task_list`), but after an escape of a URL or of JSON, which ends in a letter or digit. */
const credentials =
  /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrt]|\\u[0-9A-Fa-f]{4}))(sk|pk)_[^\s"',;&<>\\]*|(whsec)_[^\s"',;&<>\\]*/g;
/** But not in "the bearer token is missing". */
const bearer = /\bBearer\s+(?!tokens?\b|keys?\b|auth)[^\s"',;]+/gi;
/** `"token": "..."` in a JSON text that may be cut off anywhere, a list or an object for a value included. */
const jsonSecret =
  /("[^"]*(?:tokens?|secrets?|pins?|serial\w{0,20}|password)"\s*:\s*)("(?:[^"\\]|\\.)*"?|\[[^\]]*\]?|\{[^}]*\}?|[^,}\]\s]+)/gi;
/** `PIN: 48210937`: what a label names, when it has a digit in it. */
const labelled = /\b(pins?|tokens?)(\s*[:=]\s*)(?=[\w-]*\d)[\w-]+/gi;
/** Twelve digits and more, in a row or in groups: tokens and PINs, and no phone number. */
const longDigits = /\d(?:[ -]?\d){11,}/g;

/** Free text from outside with everything that looks like a secret taken out. */
export function redactText(text: string): string {
  return text
    .replace(jsonSecret, `$1"${redacted}"`)
    .replace(bearer, `Bearer ${redacted}`)
    .replace(credentials, (_, key: string | undefined, secret: string) => `${key ?? secret}_${redacted}`)
    .replace(longDigits, redacted)
    .replace(labelled, `$1$2${redacted}`);
}

const mostText = 500;
const mostDepth = 6;

/** A copy of any value that may be printed: secret fields redacted, free text cleaned and cut short. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    const clean = redactText(value);
    return clean.length > mostText ? `${clean.slice(0, mostText)}… (${value.length} characters)` : clean;
  }
  if (typeof value === 'number') return Number.isInteger(value) && value >= 1e11 ? redacted : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isError(value)) return safeCause(value, depth);
  if (depth >= mostDepth) return '[…]';
  if (value instanceof Headers) return redactValue(Object.fromEntries(value), depth);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (openField.test(name)) return [name, item];
      if (secretField.test(name)) return [name, item === null || item === undefined ? item : redacted];
      return [redactText(name), redactValue(item, depth + 1)];
    }),
  );
}

/** Own fields that hold raw answers: on the error in full, in print only redacted. */
const rawFields = ['body', 'headers', 'transaction', 'purchase', 'event'];

/** What of an error may be printed, its cause aside. */
export function printable(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(error)) if (value !== undefined) fields[name] = value;
  for (const name of rawFields) {
    const value: unknown = Reflect.get(error, name);
    if (value !== undefined) fields[name] = redactValue(value);
  }
  return fields;
}

/** The fields of a system error that tell what happened on the network, and nothing else. */
const causeFields = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const;

/**
 * A copy of a foreign error that is safe to print: name, message, system fields and its own cause. Transports hang whole requests on
 * their errors, bearer key included; those do not come along.
 */
export function safeCause(error: unknown, depth = 0): Error | undefined {
  if (error === undefined || error === null || depth >= mostDepth) return undefined;
  if (!isError(error)) return new Error(textOf(error).slice(0, mostText));
  const inner = safeCause(error.cause, depth + 1);
  const copy = new Error(textOf(error.message), inner ? { cause: inner } : undefined);
  Object.defineProperty(copy, 'name', { value: textOf(error.name), enumerable: false });
  if (error.stack) Object.defineProperty(copy, 'stack', { value: textOf(error.stack), enumerable: false });
  for (const field of causeFields) {
    const value: unknown = Reflect.get(error, field);
    if (typeof value === 'string' || typeof value === 'number') {
      Object.assign(copy, { [field]: typeof value === 'string' ? redactText(value) : value });
    }
  }
  return copy;
}

/** Anything may be thrown, even what has no text. */
function textOf(value: unknown): string {
  try {
    return redactText(String(value));
  } catch {
    return 'a value that has no text';
  }
}
