import type * as z from 'zod/mini';

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
export function checkParams<Params>(schema: z.ZodMiniType<Params>, given: unknown): CheckedParams<Params> {
  // Without `jitless` zod compiles a function with eval, which content security policies and Workers refuse.
  const checked = schema.safeParse(given, { jitless: true });
  if (checked.success) return { ok: true, params: checked.data };

  const errors = new Map<string, string>();
  for (const issue of checked.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const name of issue.keys) errors.set(name, unknownName(name));
    } else if (issue.path.length === 0) {
      errors.set('params', 'must be an object with the fields of this call');
    } else {
      errors.set(String(issue.path[0]), issue.message);
    }
  }
  return { ok: false, errors: Object.fromEntries(errors) };
}
