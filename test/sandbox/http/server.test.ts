import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/sandbox/http/server.js';
import { createService } from '../../../src/sandbox/http/service.js';

test('a request that fails inside closes its own connection, and no other', async () => {
  const paths: string[] = [];
  const [host, controlToken] = ['127.0.0.1', undefined];
  const onRefused = () => undefined;
  const service = createService({
    host,
    controlToken,
    onRefused,
    handleRequest: async ({ path }) => {
      paths.push(path);
      if (path === '/broken') throw new Error('broken');
      return { kind: 'complete', response: { status: 404, headers: {}, body: {} } };
    },
  });
  const loadListener = async () => service;
  const server = await startServer({ port: 0, host, controlToken, loadListener, onRefused });
  onTestFinished(() => server.close());
  const address = `http://127.0.0.1:${server.port}`;
  await expect(fetch(`${address}/broken`)).rejects.toThrow('fetch failed');
  for (const path of ['/api/v1/nothing', '//evil.example/x', '/a%2Fb']) {
    expect((await fetch(`${address}${path}`)).status).toBe(404);
  }
  expect(paths).toEqual(['/broken', '/api/v1/nothing', '//evil.example/x', '/a%2Fb']);
});
