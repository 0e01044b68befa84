import { toJSONSchema } from 'zod/v4/core';
import { type Operation, operations } from '../../src/contract/operations.js';
import { meterTypes } from '../../src/contract/vocabulary.js';

/** What the contract checks with a function of its own, which says nothing to a generator. */
const customTypes: Readonly<Record<string, object>> = {
  meter_type: { type: 'string', enum: meterTypes },
  amount: { type: 'number' },
  quantity: { type: 'integer' },
  enabled: { type: 'boolean' },
  refunded: { type: 'boolean' },
  token: { type: ['string', 'null'] },
};

const schema = (of: Operation['paramsSchema']) => {
  const { $schema: _, ...rest } = toJSONSchema(of, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema: { _zod }, jsonSchema, path }) => {
      if (_zod.def.type !== 'custom') return;
      const plain = { type: _zod.def.params?.['expected'] ?? 'string' };
      Object.assign(jsonSchema, customTypes[String(path.at(-1))] ?? plain);
    },
  });
  return rest;
};

/** `airtime.purchase` becomes `airtimePurchase`. */
const idOf = (name: string) => name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase());

const answers = (operation: Operation) => ({
  [operation.successStatus]: {
    description: 'Success',
    content: { 'application/json': { schema: schema(operation.responseSchema) } },
  },
  default: {
    description: 'Error',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { status: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
          required: ['status', 'code', 'message'],
        },
      },
    },
  },
});

function endpoint(name: string, operation: Operation): object {
  const { properties = {}, required = [] } = schema(operation.paramsSchema);
  const fields = { client_id: { type: 'string' }, ...properties };
  const needed = ['client_id', ...required];
  const common = { operationId: idOf(name), security: [{ key: [] }], responses: answers(operation) };
  if (operation.method === 'GET') {
    const parameters = Object.entries(fields).map(([field, type]) => ({
      name: field,
      in: 'query',
      required: needed.includes(field),
      schema: type,
    }));
    return { get: { ...common, parameters } };
  }
  const body = { type: 'object', properties: fields, required: needed };
  return {
    post: {
      ...common,
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
    },
  };
}

/** The contract as an OpenAPI 3.1 document: what generators of clients are given. */
export const openApiDocument = () => ({
  openapi: '3.1.0',
  info: { title: 'Bill payment service', version: '1' },
  servers: [{ url: 'https://service.test/api/v1' }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [operation.path, endpoint(name, operation)]),
  ),
});
