import * as z from 'zod/mini';
import { version } from '../../version.js';
import { type JsonSchema, jsonSchemaOf } from '../schemas/kinds.js';
import * as resources from './resources.js';
import type { ControlRoute } from './route.js';
import { controlRoutes } from './routes.js';

/** The OpenAPI 3.1 document of the control API, made from the same table that serves it. */

const health = { method: 'GET', path: '/health' } as const;

/** `POST /clock/advance` has the id `post_clock_advance`. */
const operationId = ({ method, path }: Pick<ControlRoute, 'method' | 'path'>): string =>
  `${method.toLowerCase()}${path.replaceAll(/[{}]/g, '').replaceAll(/[/-]/g, '_')}`;

/** The schema of each response by the id of its operation, and that of each resource in them, made together so that resources are references. */
const { properties, $defs } = jsonSchemaOf(
  z.object({
    ...Object.fromEntries(controlRoutes.map((route) => [operationId(route), route.returns])),
    [operationId(health)]: z.object({ status: z.literal('ok'), version: z.string(), now: resources.time }),
    problem: resources.problem,
  }),
) as {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly $defs: Readonly<Record<string, JsonSchema>>;
};

const jsonContent = (schema: JsonSchema | undefined) => ({ 'application/json': { schema } });

const problemResponse = {
  description: 'A problem, with a sentence that says what to do.',
  content: { 'application/problem+json': { schema: properties['problem'] } },
};

function operationOf(route: ControlRoute) {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: jsonSchemaOf(schema),
  }));
  const id = operationId(route);
  const schema = properties[id];
  return {
    operationId: id,
    summary: route.summary,
    parameters: [...inPath, ...inQuery],
    ...(route.body && { requestBody: { content: jsonContent(jsonSchemaOf(z.strictObject(route.body))) } }),
    responses: {
      200: {
        description: route.stream ? 'An endless stream.' : 'Done.',
        content: route.stream
          ? { 'text/event-stream': { schema } }
          : { ...jsonContent(schema), ...(route.csv && { 'text/csv': { schema: { type: 'string' } } }) },
      },
      default: problemResponse,
    },
  };
}

/** The document, for a sandbox at `origin`. */
export function openApiDocument(origin: string) {
  const paths: Record<string, Record<string, unknown>> = {
    [health.path]: {
      get: {
        operationId: operationId(health),
        summary: 'Responds while the sandbox runs.',
        security: [],
        responses: {
          200: { description: 'It runs.', content: jsonContent(properties[operationId(health)]) },
        },
      },
    },
  };
  for (const route of controlRoutes) {
    const path = `/_sandbox${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'billpay sandbox: control API',
      version,
      description:
        'Reads and changes a running sandbox from any language. The bill payment service itself is at /api/v1 of the same address.',
    },
    servers: [{ url: origin }],
    security: [{}, { token: [] }],
    paths,
    components: {
      schemas: $defs,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The control token, where the sandbox has one.',
        },
      },
    },
  };
  const text = JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as typeof document;
}
