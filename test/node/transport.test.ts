import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { TransportRequest, TransportResponse } from '../../src/http/transport.js';
import { nodeTransport } from '../../src/node/index.js';
import { http } from '../support/socket-faults.js';
import { freePort, leavingNothing } from '../support/sockets.js';

const request = (url: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url,
  headers: {},
  body: undefined,
  ...more,
});

const bounds = { timeoutMs: 5000, signal: undefined };

const outcomeOf = (url: string, more: Partial<TransportRequest> = {}) =>
  nodeTransport()(request(url, more), bounds);

async function responseOf(url: string, more: Partial<TransportRequest> = {}): Promise<TransportResponse> {
  const outcome = await outcomeOf(url, more);
  if (outcome.kind === 'response') return outcome;
  throw new Error(`no response: ${outcome.why}`, { cause: outcome.cause });
}

describe('a response', () => {
  it('has the status, its text, the headers, repeated ones included, and the body', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => {
        response.writeHead(203, 'Not Quite', [
          ['Content-Type', 'text/plain'],
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['X-Many', 'one'],
          ['X-Many', 'two'],
        ] as never);
        response.end('naïve ₦');
      });
      const response = await responseOf(`${server.baseUrl}/x?y=1`);
      expect(response).toMatchObject({ status: 203, statusText: 'Not Quite', text: 'naïve ₦' });
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      expect(response.headers.get('x-many')).toBe('one, two');
      expect(response.headers).toBe(response.headers);
      expect(response.bodyFailure).toBeUndefined();
      expect(server.requests[0]?.url).toBe('/api/v1/x?y=1');
    }));

  it.each([204, 205, 304])('has no body with %i', (status) =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(status).end());
      expect(await responseOf(server.baseUrl)).toMatchObject({ status, text: '' });
    }),
  );

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text) => Buffer.from(text)],
    ['', (text) => Buffer.from(text)],
  ])('in the encoding %j is decoded, although plain text was requested', (encoding, encode) =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(encode('naïve ₦')),
      );
      expect(await responseOf(server.baseUrl)).toMatchObject({ text: 'naïve ₦' });
      expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
    }),
  );

  it.each(['zstd', 'gzip, br'])('in the encoding %s is refused by name', (encoding) =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('?'),
      );
      expect((await responseOf(server.baseUrl)).bodyFailure).toMatchObject({
        why: 'unsupported-encoding',
        cause: { message: `the encoding ${encoding} is not supported` },
      });
    }),
  );

  it.each<[string, string]>([
    ['of its length', http('200 OK', ['content-length: 9'], 'part')],
    ['of a chunk', http('200 OK', ['transfer-encoding: chunked'], 'f\r\npart')],
    [
      'of its gzip',
      http('200 OK', ['content-encoding: gzip', 'content-length: 99'], gzipSync('x').toString('latin1')),
    ],
  ])('cut in the middle %s is incomplete', (_, bytes) =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) =>
        socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1'))),
      );
      const { status, bodyFailure } = await responseOf(server.baseUrl);
      expect([status, bodyFailure?.why]).toEqual([200, 'incomplete']);
    }),
  );

  it('that upgrades the connection is a failure', () =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) =>
        socket.once('data', () => socket.end(http('101 Switching', ['connection: upgrade', 'upgrade: x']))),
      );
      expect(await outcomeOf(server.baseUrl)).toMatchObject({
        kind: 'failure',
        why: 'connection',
        mayHaveArrived: true,
      });
    }));
});

describe('a request', () => {
  it('carries method, headers and text', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.end());
      await responseOf(`${server.baseUrl}/x`, {
        method: 'POST',
        headers: { 'X-One': '1' },
        body: 'naïve',
      });
      const [{ method, url, headers, body } = {}] = server.requests as Partial<(typeof server.requests)[0]>[];
      expect([method, url, body]).toEqual(['POST', '/api/v1/x', 'naïve']);
      expect(headers).toMatchObject({
        'x-one': '1',
        'content-length': '6',
        connection: 'keep-alive',
        host: `127.0.0.1:${server.port}`,
      });
    }));

  it('finds an IPv6 address', () =>
    leavingNothing(async () => {
      const outcome = await outcomeOf(`http://[::1]:${await freePort()}/`);
      expect(outcome).toMatchObject({ kind: 'failure', mayHaveArrived: false, unsent: true });
      const { code } = Object('cause' in outcome && outcome.cause);
      expect(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(code);
    }));

  it.each([
    'Connection',
    'Transfer-Encoding',
    'content-length',
    'Host',
    'expect',
    'Accept-Encoding',
    'Upgrade',
  ])('may not set the header %s', async (name) => {
    await expect(outcomeOf('http://127.0.0.1:9/', { headers: { [name]: '1' } })).rejects.toMatchObject({
      name: 'ConfigurationError',
      option: 'headers',
      message: `headers: must not contain ${name}: nodeTransport sets it itself`,
    });
  });
});

it('consists of nothing of ky or zod', async () => {
  const { metafile } = await build({
    entryPoints: ['src/node/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const libraries = Object.keys(metafile.inputs).flatMap(
    (file) => /node_modules\/([^/]+)/.exec(file)?.[1] ?? [],
  );
  expect([...new Set(libraries)]).toEqual([]);
  expect(Object.keys(metafile.inputs)).not.toContain('src/http/ky.ts');
});
