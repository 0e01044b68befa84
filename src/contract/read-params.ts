import { suggestion } from '../utils/nearest.js';

/** Every wrong field with its problem, in words that say how to fix it. */
export type FieldErrors = Record<string, string>;

/** The problems of fields in one line of text. */
export const textOfErrors = (errors: FieldErrors): string =>
  Object.entries(errors)
    .map(([field, problem]) => `${field} ${problem}`)
    .join('; ');

/** What is needed of a schema of parameters: an object with these fields and no others, made by zod or of the kinds of options. */
interface FieldsSchema<Params> {
  readonly shape: Readonly<Record<string, unknown>>;
  safeParse(
    given: unknown,
  ):
    | { readonly success: true; readonly data: Params }
    | { readonly success: false; readonly error: { readonly issues: readonly FieldIssue[] } };
}

/** What is wrong with a value, and where inside it. */
export interface FieldIssue {
  /** `unrecognized_keys` for names that are not known, which are `keys`. */
  readonly code?: string | undefined;
  readonly keys?: readonly string[];
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A checked copy of parameters, or the problem of each wrong field. */
export type ReadParams<Params> =
  | { readonly ok: true; readonly params: Params }
  | { readonly ok: false; readonly errors: FieldErrors };

/**
 * Reads a caller's parameters once and checks all fields at once. The result is the only copy that may be used afterwards: accessors,
 * `toJSON`, prototypes and proxies can return another value at each reading, so what was checked must be what is stored and sent. It is
 * a plain object that has only the fields of the schema, each a string, a finite number or a boolean.
 */
export function readParams<Params>(schema: FieldsSchema<Params>, given: unknown): ReadParams<Params> {
  let result: ReturnType<typeof schema.safeParse>;
  try {
    result = schema.safeParse(given);
  } catch {
    return { ok: false, errors: { params: 'could not be read: one of its fields throws' } };
  }
  if (result.success) return { ok: true, params: result.data };

  const errors = new Map<string, string>();
  for (const issue of result.error.issues) {
    const [field] = issue.path;
    if (field !== undefined) errors.set(String(field), issue.message);
    else if (issue.code === 'unrecognized_keys') {
      refuseNames(issue.keys ?? [], Object.keys(schema.shape), errors);
    } else errors.set('params', 'must be an object with the fields of this call');
  }
  return { ok: false, errors: Object.fromEntries(errors) };
}

/** Unknown names are listed up to this number: a form that is passed on as it came may have very many. */
const mostNames = 20;

function refuseNames(names: readonly string[], known: readonly string[], errors: Map<string, string>): void {
  for (const name of names.slice(0, mostNames)) errors.set(name, unknownName(name, known));
  const more = names.length - mostNames;
  if (more > 0)
    errors.set('params', `has ${more} more names that are not parameters of this call: remove them`);
}

function unknownName(name: string, known: readonly string[]): string {
  if (name === 'client_id') {
    return 'is not a parameter: the client adds its own clientId to every call; remove it here';
  }
  return `is not a parameter of this call${suggestion(name, known, 'parameters')}`;
}
