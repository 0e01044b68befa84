import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/sandbox/http/server.js';

test('a front handler sees requests first, and takes those that are its own', async () => {
  const paths: string[] = [];
  const server = await startServer({
    port: 0,
    host: '127.0.0.1',
    handleRequest: ({ path }) => {
      paths.push(path);
      return { kind: 'complete', response: { status: 404, headers: {}, body: {} } };
    },
    onRefused: () => undefined,
    fronts: [
      async (request, response) => {
        if (request.url === '/broken') throw new Error('broken');
        if (request.url !== '/own') return false;
        response.end('console');
        return true;
      },
    ],
  });
  onTestFinished(() => server.close());
  const address = `http://127.0.0.1:${server.port}`;
  expect(await (await fetch(`${address}/own`)).text()).toBe('console');
  expect((await fetch(`${address}/api/v1/nothing`)).status).toBe(404);
  await expect(fetch(`${address}/broken`)).rejects.toThrow('fetch failed');
  expect(paths).toEqual(['/api/v1/nothing']);
});
