import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type * as z from 'zod/mini';
import { optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { ServerEnv } from '../http/server.js';
import type { JsonSchema } from '../schemas/kinds.js';
import type { Sandbox } from '../types.js';
import type { ForwardedWebhooks } from './forwarding.js';

/** One call of the control API. */
export interface ControlCall {
  readonly sandbox: Sandbox;
  /** Deliveries that a listening program passes on. */
  readonly forwarded: ForwardedWebhooks;
  /** The base address of the service on this port. */
  readonly baseUrl: string;
  /** Another one at every start of the server. */
  readonly runId: string;
  /** The values of the path's `{names}`. */
  readonly params: Readonly<Record<string, string>>;
  readonly context: Context<ServerEnv>;
}

type Shape = Readonly<Record<string, z.ZodMiniType>>;
type Read<S extends Shape> = z.output<z.ZodMiniObject<S, z.core.$strict>>;

/** One route of the control API, with its description in the OpenAPI document. */
interface RouteDefinition<Query extends Shape, Body extends Shape> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/_sandbox`, such as `/transactions/{reference}`. */
  readonly path: string;
  /** In a sentence, for the OpenAPI document. */
  readonly summary: string;
  /** Query parameters by name. */
  readonly query?: Query;
  /** The fields of the body. */
  readonly body?: Body;
  /** The body of a 200 response. */
  readonly returns: JsonSchema;
  /** Whether the query `format=csv` returns the same as CSV. */
  readonly csv?: true;
  /** Whether it responds with server-sent events. */
  readonly stream?: true;
  /** Returns the JSON value of a 200, or a `Response`; throws `ControlProblem` or `ConfigurationError`. */
  handle(call: ControlCall & { readonly query: Read<Query>; readonly body: Read<Body> }): unknown;
}

/** A route whose query and body are checked by the schemas that describe them. */
export interface ControlRoute extends Omit<RouteDefinition<Shape, Shape>, 'handle'> {
  /** Checks the query and the body, and handles the call; a misspelt name is refused, because its test asks for something else. */
  answer(call: ControlCall, query: unknown, body: unknown): unknown;
}

export function route<Query extends Shape = Shape, Body extends Shape = Shape>({
  handle,
  ...rest
}: RouteDefinition<Query, Body>): ControlRoute {
  const querySchema = optionsOf<Shape>(rest.query ?? {});
  const bodySchema = optionsOf<Shape>(rest.body ?? {});
  return {
    ...rest,
    answer: (call, query, body) =>
      handle({
        ...call,
        // The schemas were made of the very shapes that the types are made of.
        query: parseOptions(querySchema, query, { owner: 'this query' }) as Read<Query>,
        body: parseOptions(bodySchema, body, { owner: 'this body' }) as Read<Body>,
      }),
  };
}

/** An error that is sent as a JSON problem (RFC 9457). */
export class ControlProblem extends Error {
  readonly status: ContentfulStatusCode;
  readonly title: string;

  /** `detail`: a sentence that says what to do. */
  constructor(status: ContentfulStatusCode, title: string, detail: string) {
    super(detail);
    this.status = status;
    this.title = title;
  }
}

export const notFound = (detail: string): ControlProblem => new ControlProblem(404, 'Not found', detail);

export const invalid = (detail: string): ControlProblem => new ControlProblem(400, 'Invalid request', detail);

/** Schemas that many routes share. */
export const schemas = {
  text: { type: 'string' },
  flag: { type: 'boolean' },
  naira: { type: 'number', minimum: 0, description: 'NGN' },
  time: { type: 'string', format: 'date-time' },
  any: {},
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** An object with these properties; `required` lists those that a body must have. */
export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({ type: 'object', properties, ...(required.length > 0 && { required }) });

export const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (name: string): JsonSchema =>
  objectOf(
    {
      data: { type: 'array', items: reference(name) },
      total: {
        type: ['integer', 'null'],
        description: 'How many there are on all pages; null on pages after the first.',
      },
      next: {
        type: ['string', 'null'],
        description: 'Pass it as `after` to get the next page; null on the last one.',
      },
    },
    ['data', 'next'],
  );

export const done = objectOf({ ok: { const: true } }, ['ok']);
