import { nearestName } from '../utils/nearest.js';
import type { ParamsSchema } from './operations.js';

/** Every wrong field with its problem, in words that say how to fix it. */
export type FieldErrors = Record<string, string>;

/** The problems of fields in one line of text. */
export const textOfErrors = (errors: FieldErrors): string =>
  Object.entries(errors)
    .map(([field, problem]) => `${field} ${problem}`)
    .join('; ');

/** Checked parameters, or the problem of each wrong field. */
export type CheckedParams<Params> =
  | { readonly ok: true; readonly params: Params }
  | { readonly ok: false; readonly errors: FieldErrors };

/**
 * Checks parameters against a schema, all fields at once. Each field of the caller's object is read once, and the copy in
 * the result is out of the reach of later changes to that object.
 */
export function validateParams<Params>(schema: ParamsSchema<Params>, given: unknown): CheckedParams<Params> {
  const result = parse(schema, given);
  if (!result) return { ok: false, errors: { params: 'could not be read: one of its fields throws' } };
  if (result.success) return { ok: true, params: result.data };

  const errors = new Map<string, string>();
  for (const issue of result.error.issues) {
    const [field] = issue.path;
    if (field !== undefined) errors.set(String(field), issue.message);
    else if (issue.code === 'unrecognized_keys') {
      for (const name of issue.keys) errors.set(name, unknownName(name, Object.keys(schema.shape)));
    } else errors.set('params', 'must be an object with the fields of this call');
  }
  return { ok: false, errors: Object.fromEntries(errors) };
}

/** Undefined where an accessor or a proxy of the caller throws. */
function parse<Params>(schema: ParamsSchema<Params>, given: unknown) {
  try {
    return schema.safeParse(given);
  } catch {
    return undefined;
  }
}

function unknownName(name: string, known: readonly string[]): string {
  if (name === 'client_id') {
    return 'is not a parameter: the client adds its own clientId to every call; remove it here';
  }
  const meant = nearestName(name, known);
  return `is not a parameter of this call: ${meant === undefined ? 'check the spelling, or remove it' : `did you mean ${meant}?`}`;
}
