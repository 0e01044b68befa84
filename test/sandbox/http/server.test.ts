import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/sandbox/http/server.js';

/** A port that responds as `respond` does. */
async function listen(respond: Parameters<typeof startServer>[0]['respond']): Promise<string> {
  const server = await startServer({ port: 0, host: '127.0.0.1', respond, onRefused: () => undefined });
  onTestFinished(() => server.close());
  return `http://127.0.0.1:${server.port}`;
}

test('a request that fails inside closes its own connection, and no other', async () => {
  const paths: string[] = [];
  const address = await listen(async ({ url }) => {
    const { pathname } = new URL(url);
    paths.push(pathname);
    if (pathname === '/broken') throw new Error('broken');
    return new Response('{}', { status: 404 });
  });
  await expect(fetch(`${address}/broken`)).rejects.toThrow('fetch failed');
  for (const path of ['/api/v1/nothing', '//evil.example/x', '/a%2Fb']) {
    expect((await fetch(`${address}${path}`)).status).toBe(404);
  }
  expect(paths).toEqual(['/broken', '/api/v1/nothing', '//evil.example/x', '/a%2Fb']);
});

test('a request keeps its method, headers and body; a response its status, headers and body', async () => {
  const address = await listen(async ({ method, headers, text }) =>
    Response.json({ method, shop: headers.get('x-shop'), body: await text() }, { status: 201 }),
  );
  const response = await fetch(address, { method: 'PUT', headers: { 'x-shop': '7' }, body: 'naïra' });
  expect([response.status, response.headers.get('content-type')]).toEqual([201, 'application/json']);
  expect(await response.json()).toEqual({ method: 'PUT', shop: '7', body: 'naïra' });
});

test('a stream of events is written as it comes, and cancelled when nobody reads it any more', async () => {
  let end = (): void => undefined;
  const cancelled = new Promise<void>((resolve) => {
    end = resolve;
  });
  const address = await listen(async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
      cancel: () => end(),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const response = await fetch(address);
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n');
  await reader?.cancel();
  await cancelled;
});
