import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openApiDocument, openApiText } from '../../tools/openapi/document.js';

it('docs/openapi.json is current (npm run generate)', () => {
  const written = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  expect(written === openApiText()).toBe(true);
});

it('the OpenAPI document describes every field of every request', () => {
  for (const item of Object.values(openApiDocument().paths)) {
    const [operation] = Object.values(Object(item)) as {
      parameters?: { name: string; description?: string }[];
      requestBody?: { content: { 'application/json': { schema: { properties: Record<string, object> } } } };
    }[];
    for (const { name, description } of operation?.parameters ?? []) expect(description, name).toBeTruthy();
    const body = operation?.requestBody?.content['application/json'].schema.properties ?? {};
    for (const [name, schema] of Object.entries(body)) expect(schema, name).toHaveProperty('description');
  }
});
