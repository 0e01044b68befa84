import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { openApiDocument, openApiText } from './document.js';

const { paths, servers } = openApiDocument();

it('docs/openapi.json is current (npm run openapi)', () => {
  const written = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  expect(written === openApiText()).toBe(true);
});

describe('the OpenAPI document', () => {
  it('has every endpoint under its path and method, with the kinds of key that may call it', () => {
    const listed = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries<{ security?: unknown }>(Object(item)).map(([method, { security }]) => [
        `${method} ${path}`,
        security,
      ]),
    );
    const documented = Object.values(operations).map(({ method, path, requiredKey }) => [
      `${method.toLowerCase()} ${path}`,
      requiredKey === 'secret' ? [{ secretKey: [] }] : [{ secretKey: [] }, { publicKey: [] }],
    ]);
    expect(listed).toEqual(documented);
  });

  it('has the version segment once, in the address of the server, so that BILLPAY_BASE_URL can stand in for it', () => {
    expect(servers.map(({ url }) => new URL(url.replace('{host}', 'pay.example.com')).pathname)).toEqual([
      '/api/v1',
    ]);
    expect(Object.keys(paths).filter((path) => /\/v1\b|\/api\b/.test(path))).toEqual([]);
  });

  it('describes every field of every request', () => {
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
});
