import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { openApiDocument } from './document.js';

const { paths, components } = openApiDocument();

describe('the OpenAPI document', () => {
  it('has every endpoint under its path and method', () => {
    const listed = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(Object(item)).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed).toEqual(Object.values(operations).map(({ method, path }) => `${method} ${path}`));
  });

  it('describes the body of a purchase with the rules of its schema', () => {
    expect(paths['/electricity/purchase']).toMatchObject({
      post: {
        operationId: 'electricityPurchase',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  client_id: { type: 'string' },
                  biller: { type: 'string', pattern: '\\S' },
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
    expect(paths['/edu/purchase']).toMatchObject({
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { properties: { quantity: { type: 'integer', minimum: 1 } } },
            },
          },
        },
      },
    });
    expect(paths['/webhooks/subscribe']).toMatchObject({
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { properties: { url: { type: 'string', maxLength: 2048, format: 'uri' } } },
            },
          },
        },
      },
    });
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

  it('describes responses as open objects, with null where it may come', () => {
    expect(paths['/transactions/status']).toMatchObject({
      get: {
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  properties: {
                    data: {
                      properties: {
                        transaction_status: { type: 'string' },
                        token: { type: ['string', 'null'] },
                        refunded: { type: 'boolean' },
                      },
                      additionalProperties: {},
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  it('names every documented error code', () => {
    expect(components.schemas.Error.properties.code.examples).toEqual(
      expect.arrayContaining(['BAD_REQUEST', 'AMOUNT_MISMATCH', 'RATE_LIMITED', 'QUEUE_UNAVAILABLE']),
    );
  });
});
