import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { errorCodes } from '../../src/contract/vocabulary.js';
import { openApiDocument, openApiText } from './document.js';

const { paths, servers, components, webhooks } = openApiDocument();

it('docs/openapi.json is current (npm run openapi)', () => {
  const written = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  expect(written === openApiText()).toBe(true);
});

describe('the OpenAPI document', () => {
  it('has every endpoint under its path and method', () => {
    const listed = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(Object(item)).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed).toEqual(Object.values(operations).map(({ method, path }) => `${method} ${path}`));
  });

  it('has the version segment once, in the address of the server, so that BILLPAY_BASE_URL can stand in for it', () => {
    expect(servers.map(({ url }) => new URL(url.replace('{host}', 'pay.example.com')).pathname)).toEqual([
      '/api/v1',
    ]);
    expect(Object.keys(paths).filter((path) => /\/v1\b|\/api\b/.test(path))).toEqual([]);
  });

  it('describes the body of a purchase with the rules of its schema and the words of its doc comments', () => {
    expect(paths['/electricity/purchase']).toMatchObject({
      post: {
        operationId: 'electricityPurchase',
        security: [{ secretKey: [] }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  client_id: { type: 'string' },
                  biller: { type: 'string', pattern: '\\S' },
                  recipient: { description: 'The meter number, as a string.' },
                  meter_type: { type: 'string', enum: ['prepaid', 'postpaid'] },
                  amount: { type: 'number', minimum: 0.01 },
                  idempotency_key: { type: 'string', pattern: '\\S' },
                },
                required: ['client_id', 'biller', 'recipient', 'meter_type', 'amount', 'idempotency_key'],
              },
            },
          },
        },
      },
    });
    const schemaOf = (properties: object) => ({
      post: { requestBody: { content: { 'application/json': { schema: { properties } } } } },
    });
    expect(paths['/edu/purchase']).toMatchObject(schemaOf({ quantity: { type: 'integer', minimum: 1 } }));
    expect(paths['/webhooks/subscribe']).toMatchObject(
      schemaOf({ url: { type: 'string', maxLength: 2048, format: 'uri' } }),
    );
  });

  it('describes every parameter of every call', () => {
    const text = JSON.stringify(paths);
    const undescribed = Object.entries(operations).flatMap(([name, { paramsSchema }]) =>
      Object.keys(paramsSchema.shape)
        .filter((field) => !text.includes(`"${field}"`))
        .map((field) => [name, field]),
    );
    expect(undescribed).toEqual([]);
    for (const item of Object.values(paths)) {
      const [operation] = Object.values(Object(item)) as {
        parameters?: { name: string; description?: string }[];
        requestBody?: { content: { 'application/json': { schema: { properties: Record<string, object> } } } };
      }[];
      for (const { name, description } of operation?.parameters ?? []) expect(description, name).toBeTruthy();
      const body = operation?.requestBody?.content['application/json'].schema.properties ?? {};
      for (const [name, schema] of Object.entries(body)) expect(schema, name).toHaveProperty('description');
    }
  });

  it('puts the fields of a GET into the query', () => {
    expect(paths['/transactions/status']).toMatchObject({
      get: {
        parameters: [
          { name: 'client_id', in: 'query', required: true },
          { name: 'reference', in: 'query', required: true },
        ],
      },
    });
  });

  it('says which calls take a public key', () => {
    for (const { path, method, requiredKey } of Object.values(operations)) {
      const security =
        requiredKey === 'secret' ? [{ secretKey: [] }] : [{ secretKey: [] }, { publicKey: [] }];
      expect(paths[path]).toMatchObject({ [method.toLowerCase()]: { security } });
    }
  });

  it('describes responses as open objects, with null where it may come', () => {
    expect(components.schemas['Transaction']).toMatchObject({
      properties: {
        transaction_status: { type: 'string', enum: ['pending', 'success', 'failed'] },
        token: { type: ['string', 'null'] },
        refunded: { type: 'boolean' },
        network: { deprecated: true },
      },
      additionalProperties: true,
    });
  });

  it('has every documented status with its codes', () => {
    for (const [status, codes] of Object.entries(errorCodes)) {
      expect(components.schemas[`Error${status}`]).toMatchObject({ properties: { code: { enum: codes } } });
    }
  });

  it('has both webhooks with the headers of their signature', () => {
    for (const name of ['transaction.completed', 'transaction.failed']) {
      expect(webhooks[name]?.post.parameters.map((parameter) => parameter.name)).toEqual([
        'X-Service-Signature',
        'X-Service-Timestamp',
        'X-Service-Event',
        'X-Service-Delivery-ID',
      ]);
    }
  });
});
