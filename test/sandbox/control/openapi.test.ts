import { describe, expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import { controlRoutes } from '../../../src/sandbox/control/routes.js';
import { airtime, call, referenceOf } from '../support.js';
import { type Control, controlled } from './support.js';

interface Document {
  readonly openapi: string;
  readonly paths: Record<
    string,
    Record<
      string,
      { operationId: string; responses: Record<string, { content: Record<string, { schema: object }> }> }
    >
  >;
  readonly components: { readonly schemas: Record<string, object> };
}

/** What of a value does not fit a schema of the document. */
function problemsOf(document: Document, schema: object | undefined, value: unknown): string | undefined {
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  const checked = fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/'))).safeParse(
    value,
  );
  return checked.error?.message;
}

const documentOf = ({ ok }: Control) => ok<Document>('GET', '/openapi.json');

test('the document is OpenAPI 3.1 and describes every route once', async () => {
  const document = await documentOf(await controlled());
  expect(document.openapi).toBe('3.1.0');
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = controlRoutes.map(({ method, path }) => `${method} /_sandbox${path}`);
  expect(described.sort()).toEqual([...served, 'GET /health'].sort());
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((one) => one.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(references));
});

describe('every response is what the document says', () => {
  test('of a sandbox in which everything has happened', async () => {
    const control = await controlled();
    const { sandbox } = control;
    const document = await documentOf(control);
    const ends = [500, 200];
    sandbox.webhooks.subscribe({ handler: () => new Response(undefined, { status: ends.shift() ?? 200 }) });
    sandbox.faults.add({ operation: 'tv.validate', status: 503, times: Number.POSITIVE_INFINITY });
    const first = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { amount: 600, note: 1 }));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('b', { recipient: '08000000001' }));
    await call(sandbox, 'POST', '/tv/validate', { biller: 'DSTV', recipient: '02110144711' });
    await call(sandbox, 'GET', '/nowhere');
    await sandbox.advance('1s');

    const params: Record<string, string> = {
      reference: referenceOf(first),
      client_id: sandbox.credentials.clientId,
      product: 'data',
      biller: 'MTN',
      product_code: 'MTN-2GB-1D',
    };
    const bodies: Record<string, object> = {
      '/transactions/{reference}/settle': { outcome: 'success' },
      '/deliveries/corrupt': { how: 'duplicate' },
      '/clients/{client_id}/revoke-key': { kind: 'public' },
      '/clients/{client_id}/subscribe': { url: 'https://example.com/hook' },
      '/wallets/{client_id}/fund': { amount: 5 },
      '/requests': { operation: 'tv.products', params: { biller: 'DSTV' } },
      '/faults': { status: 503 },
      '/clock/advance': { by: '1s' },
      '/catalogue/{product}/{biller}/{product_code}': { amount: 800 },
    };
    const checked: string[] = [];
    // What changes comes after what reads, and the reset comes last.
    const order = (method: string, path: string) => (path === '/reset' ? 2 : method === 'GET' ? 0 : 1);
    // The response to a delivery needs a stream that is open: relay.test.ts has it, events.test.ts the other stream.
    const json = controlRoutes.filter(({ path, stream }) => path !== '/listen/{id}' && !stream);
    const routes = [...json].sort((a, b) => order(a.method, a.path) - order(b.method, b.path));
    for (const { method, path } of routes) {
      if (path.endsWith('/retry')) {
        ends.push(500);
        const sold = await call(sandbox, 'POST', '/airtime/purchase', airtime('failing'));
        await sandbox.settle(referenceOf(sold), 'success');
      }
      const id = path.startsWith('/deliveries')
        ? (sandbox.deliveries.at(path.endsWith('/retry') ? -1 : 0)?.id ?? '')
        : path.startsWith('/faults')
          ? (sandbox.faults.active[0]?.id ?? 0)
          : 1;
      if (path.endsWith('/settle')) {
        params['reference'] = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime('late')));
      }
      if (method === 'DELETE' && path === '/faults/{id}') sandbox.faults.add({ status: 500 });
      const target = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        name === 'id'
          ? String(method === 'DELETE' ? (sandbox.faults.active[0]?.id ?? id) : id)
          : (params[name] ?? ''),
      );
      const body = await control.ok(method, target, /^P/.test(method) ? bodies[path] : undefined);
      const schema =
        document.paths[`/_sandbox${path}`]?.[method.toLowerCase()]?.responses[200]?.content[
          'application/json'
        ]?.schema;
      expect([method, path, problemsOf(document, schema, body)]).toEqual([method, path, undefined]);
      checked.push(path);
    }
    expect(checked).toHaveLength(controlRoutes.length - 3);

    const { body } = await control.send('GET', '/nothing');
    expect(problemsOf(document, { $ref: '#/components/schemas/Problem' }, body)).toBeUndefined();
    expect(problemsOf(document, { $ref: '#/components/schemas/Problem' }, {})).toContain('title');
  });
});
