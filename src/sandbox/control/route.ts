import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import * as z from 'zod/mini';
import { optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { ServerEnv } from '../http/server.js';
import type { Sandbox } from '../types.js';
import type { ForwardedWebhooks } from './forwarding.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One call of the control API. */
export interface ControlCall {
  readonly sandbox: Sandbox;
  /** Deliveries that a listening program passes on. */
  readonly forwarded: ForwardedWebhooks;
  /** The base address of the service on this port. */
  readonly baseUrl: string;
  /** Another one at every start of the server. */
  readonly runId: string;
  /** The value of a `{name}` of the path. */
  readonly param: (name: string) => string;
  readonly context: Context<ServerEnv>;
}

export type Shape = Readonly<Record<string, z.ZodMiniType>>;
export type Read<S extends Shape> = z.output<z.ZodMiniObject<S, z.core.$strict>>;

interface RouteDefinition<Query extends Shape, Body extends Shape> {
  /** In a sentence, for the OpenAPI document. */
  readonly summary: string;
  /** Query parameters by name. */
  readonly query?: Query;
  /** The fields of the body. */
  readonly body?: Body;
  /** The body of a 200 response (default: `{ ok: true }`). */
  readonly returns?: z.ZodMiniType;
  /** Whether the query `format=csv` returns the same as CSV. */
  readonly csv?: true;
  /** Whether it responds with server-sent events. */
  readonly stream?: true;
  /** Returns the value of a 200, or a `Response`; throws `ControlProblem` or `ConfigurationError`. */
  handle(call: ControlCall & { readonly query: Read<Query>; readonly body: Read<Body> }): unknown;
}

/** One route of the control API, with its description in the OpenAPI document. Its query and body are checked by the schemas that describe them. */
export interface ControlRoute extends Omit<RouteDefinition<Shape, Shape>, 'handle'> {
  readonly method: Method;
  /** Below `/_sandbox`, such as `/transactions/{reference}`. */
  readonly path: string;
  readonly returns: z.ZodMiniType;
  /** Checks the query and the body, and handles the call; a misspelt name is refused, because its test asks for something else. */
  answer(call: ControlCall, query: unknown, body: unknown): unknown;
}

const done = z.object({ ok: z.literal(true) });

/** @param at - such as `GET /transactions/{reference}`. */
export function route<Query extends Shape = Shape, Body extends Shape = Shape>(
  at: `${Method} /${string}`,
  { handle, ...rest }: RouteDefinition<Query, Body>,
): ControlRoute {
  const [method, path] = at.split(' ') as [Method, string];
  const querySchema = optionsOf<Shape>(rest.query ?? {});
  const bodySchema = optionsOf<Shape>(rest.body ?? {});
  return {
    returns: done,
    ...rest,
    method,
    path,
    answer: async (call, query, body) => {
      const value = await handle({
        ...call,
        // The schemas were made of the very shapes that the types are made of.
        query: parseOptions(querySchema, query, { owner: 'this query' }) as Read<Query>,
        body: parseOptions(bodySchema, body, { owner: 'this body' }) as Read<Body>,
      });
      return rest.returns ? value : { ok: true };
    },
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

/** The value, where there is one; else a 404. */
export function found<T>(value: T | undefined, detail: string): T {
  if (value === undefined) throw new ControlProblem(404, 'Not found', detail);
  return value;
}

export const invalid = (detail: string): ControlProblem => new ControlProblem(400, 'Invalid request', detail);
