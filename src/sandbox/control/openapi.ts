import * as z from 'zod/mini';
import { version } from '../../version.js';
import { type JsonSchema, jsonSchemaOf } from '../schemas/kinds.js';
import { componentSchemas } from './openapi-schemas.js';
import { type ControlRoute, objectOf, reference, schemas } from './route.js';
import { controlRoutes } from './routes.js';

/** The OpenAPI 3.1 document of the control API, made from the same table that serves it. */

const jsonContent = (schema: JsonSchema) => ({ 'application/json': { schema } });

const problemResponse = {
  description: 'A problem, with a sentence that says what to do.',
  content: { 'application/problem+json': { schema: reference('Problem') } },
};

/** `POST /clock/advance` has the id `post_clock_advance`. */
const operationId = ({ method, path }: ControlRoute): string =>
  `${method.toLowerCase()}${path.replaceAll(/[{}]/g, '').replaceAll(/[/-]/g, '_')}`;

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas.text,
  }));

function operationOf(route: ControlRoute) {
  const query = Object.entries(route.query ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: jsonSchemaOf(schema),
  }));
  return {
    operationId: operationId(route),
    summary: route.summary,
    parameters: [...pathParameters(route.path), ...query],
    ...(route.body && { requestBody: { content: jsonContent(jsonSchemaOf(z.strictObject(route.body))) } }),
    responses: {
      200: {
        description: route.stream ? 'An endless stream.' : 'Done.',
        content: route.stream
          ? { 'text/event-stream': { schema: route.returns } }
          : { ...jsonContent(route.returns), ...(route.csv && { 'text/csv': { schema: schemas.text } }) },
      },
      default: problemResponse,
    },
  };
}

const health = {
  get: {
    operationId: 'get_health',
    summary: 'Responds while the sandbox runs.',
    security: [],
    responses: {
      200: {
        description: 'It runs.',
        content: jsonContent(objectOf({ status: { const: 'ok' }, version: schemas.text, now: schemas.time })),
      },
    },
  },
};

/** The document, for a sandbox at `origin`. */
export function openApiDocument(origin: string) {
  const paths: Record<string, Record<string, unknown>> = {
    '/health': health,
  };
  for (const route of controlRoutes) {
    const path = `/_sandbox${route.path}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
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
      schemas: componentSchemas,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The control token, where the sandbox has one.',
        },
      },
    },
  };
}
