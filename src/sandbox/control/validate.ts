import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono/validator';
import type * as z from 'zod/mini';
import { parseOptions } from '../../validation/options.js';
import { fieldsOf } from '../schemas/fields.js';

/** How requests to the control API are checked: a misspelt name is refused, because its caller means something else. */

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** Checks the parameters of a query. */
export function query<const S extends Shape>(shape: S) {
  const schema = fieldsOf(shape);
  return validator('query', (value) => parseOptions(schema, value, { owner: 'this query' }));
}

/** Checks the fields of a JSON body. */
export function body<const S extends Shape>(shape: S) {
  const schema = fieldsOf(shape);
  return validator('json', (value) => parseOptions(schema, value, { owner: 'this body' }));
}

/** Checks a JSON body as the code API checks the same options. */
export const checkedBy = <T>(check: (given: unknown) => T) => validator('json', (value) => check(value));

/** Refuses whatever is in the body. */
export const noBody = body({});

/** The value, where there is one; else a 404 with this sentence. */
export function found<T>(value: T | undefined, detail: string): T {
  if (value === undefined) throw new HTTPException(404, { message: detail });
  return value;
}
