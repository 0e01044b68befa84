import * as z from 'zod/mini';
import { type Operation, operations } from '../../src/contract/operations.js';
import { errorCodes } from '../../src/contract/vocabulary.js';

/** The JSON Schema of one of the contract's schemas. */
function jsonSchema(schema: z.ZodMiniType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    // The only rule that has no words in JSON Schema: the check that a webhook URL is https.
    override: ({ jsonSchema, path }) => {
      if (path.at(-1) === 'url') jsonSchema.format = 'uri';
    },
  });
  return rest;
}

/** `airtime.purchase` becomes `airtimePurchase`. */
const operationId = (name: string) => name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase());

const json = (schema: object) => ({ 'application/json': { schema } });

/** The parameters as the service takes them: with `client_id`, and with a key for every purchase. */
function fieldsOf(operation: Operation) {
  const { properties = {}, required = [] } = jsonSchema(operation.paramsSchema);
  return {
    properties: { client_id: { type: 'string' }, ...properties },
    required: ['client_id', ...required, ...(operation.kind === 'purchase' ? ['idempotency_key'] : [])],
  };
}

function endpoint(name: string, operation: Operation): object {
  const { properties, required } = fieldsOf(operation);
  const request =
    operation.method === 'GET'
      ? {
          parameters: Object.entries(properties).map(([field, schema]) => ({
            name: field,
            in: 'query',
            required: required.includes(field),
            schema,
          })),
        }
      : { requestBody: { required: true, content: json({ type: 'object', properties, required }) } };
  return {
    [operation.method.toLowerCase()]: {
      operationId: operationId(name),
      security: [{ key: [] }],
      ...request,
      responses: {
        [operation.successStatus]: {
          description: 'Success',
          content: json(jsonSchema(operation.responseSchema)),
        },
        default: { description: 'Error', content: json({ $ref: '#/components/schemas/Error' }) },
      },
    },
  };
}

const error = {
  type: 'object',
  properties: {
    status: { const: 'error' },
    code: { type: 'string', examples: [...new Set(Object.values(errorCodes).flat())] },
    message: { type: 'string' },
    errors: { type: 'object', additionalProperties: { type: 'string' } },
    retry_after_seconds: { type: 'integer' },
  },
  required: ['status', 'code', 'message'],
};

/** The contract as an OpenAPI 3.1 document. Every field comes from the schemas that the client checks with. */
export const openApiDocument = () => ({
  openapi: '3.1.0',
  info: { title: 'Bill payment service', version: '1' },
  servers: [{ url: 'https://service.test/api/v1' }],
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    schemas: { Error: error },
  },
  paths: Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [operation.path, endpoint(name, operation)]),
  ),
});
