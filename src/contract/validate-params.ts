import { check, type Schema } from './schema.js';

/** Field to text: every problem of every field, in words a caller can act on. */
export type FieldErrors = Record<string, string>;

/** Checked parameters, or what is wrong with each field. */
export type CheckedParams<Params> =
  | { readonly ok: true; readonly params: Params }
  | { readonly ok: false; readonly errors: FieldErrors };

const unknownName = (name: string): string =>
  name === 'client_id'
    ? 'is not a parameter: the client adds its own clientId to every call; remove it here'
    : 'is not a parameter of this call: check the spelling, or remove it';

/**
 * Checks parameters against an operation's schema, all fields at once, and gives back a copy that later changes
 * to the caller's object cannot reach.
 */
export function validateParams<Params>(schema: Schema<Params>, given: unknown): CheckedParams<Params> {
  const checked = readSafely(() => check(schema, given));
  if (!checked) return { ok: false, errors: { params: 'could not be read: one of its fields throws' } };
  const { value, issues } = checked;
  if (issues.length === 0) return { ok: true, params: value };

  const errors = new Map<string, string>();
  for (const { path, unknown = [], problem } of issues) {
    const [field] = path;
    if (field !== undefined) errors.set(String(field), problem);
    else if (unknown.length === 0) errors.set('params', 'must be an object with the fields of this call');
    for (const name of unknown) errors.set(name, unknownName(name));
  }
  return { ok: false, errors: Object.fromEntries(errors) };
}

/** Undefined where an accessor or a proxy of the caller's throws. */
function readSafely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
