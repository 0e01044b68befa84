import { getEventListeners } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { nodeFetch } from '../../src/node/index.js';
import { http } from '../support/socket-faults.js';
import { freePort, gone, leavingNothing } from '../support/sockets.js';

const fetch = nodeFetch();

/** What a fetch rejects with. */
const rejection = (fetched: Promise<unknown>): Promise<unknown> =>
  fetched.then(
    () => {
      throw new Error('it was expected to reject');
    },
    (error: unknown) => error,
  );

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a Response', () => {
  it('has what the answer had: status, words, headers, the repeated ones, address, body', () =>
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
      const response = await nodeFetch()(new URL(`${server.baseUrl}/x?y=1#z`));
      expect(response).toBeInstanceOf(Response);
      expect([response.status, response.statusText, response.ok]).toEqual([203, 'Not Quite', true]);
      expect(response.url).toBe(`${server.baseUrl}/x?y=1`);
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      expect(response.headers.get('x-many')).toBe('one, two');
      expect(response.headers.get('content-type')).toBe('text/plain');
      expect(await response.text()).toBe('naïve ₦');
    }));

  it('can be had as a stream, in parts as they come', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => {
        response.write('first');
        response.socket?.once('drained', () => response.end(' second'));
      });
      const { body } = await nodeFetch()(server.baseUrl);
      const reader = body!.getReader();
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('first');
      server.sockets[0]?.emit('drained');
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(' second');
      expect((await reader.read()).done).toBe(true);
    }));

  it.each([204, 205, 304])('has no body with %i', (status) =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(status).end());
      const response = await nodeFetch()(server.baseUrl);
      expect([response.status, response.body]).toEqual([status, null]);
    }),
  );

  it('of a HEAD is empty, whatever it announces', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) =>
        response.writeHead(200, { 'content-length': 500, 'content-encoding': 'gzip' }).end(),
      );
      const response = await nodeFetch()(server.baseUrl, { method: 'HEAD' });
      expect(response.headers.get('content-length')).toBe('500');
      expect(await response.text()).toBe('');
    }));

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['BR', brotliCompressSync],
    ['identity', Buffer.from],
  ])('coded as %s against our wish is decoded', (coding, encode) =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) =>
        response.writeHead(200, { 'content-encoding': coding }).end(encode('plain')),
      );
      expect(await (await nodeFetch()(server.baseUrl)).text()).toBe('plain');
      expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
    }),
  );

  it.each(['zstd', 'gzip, br'])('coded as %s is refused by name', (coding) =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) =>
        response.writeHead(200, { 'content-encoding': coding }).end('?'),
      );
      const response = await nodeFetch()(server.baseUrl);
      const error = await rejection(response.text());
      expect(Object(error).cause).toMatchObject({ message: `a body coded as ${coding} is not supported` });
    }),
  );

  it.each<[string, string]>([
    ['cut in the middle of its length', http('200 OK', ['content-length: 9'], 'part')],
    ['cut in the middle of a chunk', http('200 OK', ['transfer-encoding: chunked'], 'f\r\npart')],
    [
      'cut in the middle of its gzip',
      http('200 OK', ['content-encoding: gzip', 'content-length: 99'], gzipSync('x').toString('latin1')),
    ],
  ])('%s breaks its body', (_, bytes) =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) =>
        socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1'))),
      );
      const response = await nodeFetch()(server.baseUrl);
      expect(await rejection(response.text())).toBeInstanceOf(TypeError);
    }),
  );

  it('is whole when bytes follow it, and the connection is not used again', () =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) =>
        socket.once('data', () =>
          socket.write(
            `${http('200 OK', ['content-length: 2'], 'ok')}${http('200 OK', ['content-length: 4'], 'evil')}`,
          ),
        ),
      );
      const once = nodeFetch();
      expect(await (await once(server.baseUrl)).text()).toBe('ok');
      await gone(server.sockets[0]);
    }));

  it('over the cap breaks off, and its connection with it', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => {
        response.end(Buffer.alloc(11 * 1024 * 1024));
      });
      const response = await nodeFetch()(server.baseUrl);
      expect(Object(await rejection(response.text())).cause).toMatchObject({ message: 'a body over 10 MiB' });
      await gone(server.sockets[0]);
    }));

  it('that is not wanted any more is cancelled, and its connection with it', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.write('on and on'));
      const response = await nodeFetch()(server.baseUrl);
      await response.body?.cancel();
      await gone(server.sockets[0]);
    }));

  it.each([
    'HTTP/1.1 999 What\r\n\r\n',
    'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  ])('is not made of %j', (bytes) =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) => socket.once('data', () => socket.end(bytes)));
      expect(await rejection(nodeFetch()(server.baseUrl))).toMatchObject({ message: 'fetch failed' });
    }),
  );

  it('keeps no words that a Response cannot hold', () =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 a\x7fb\r\ncontent-length: 0\r\n\r\n')),
      );
      expect((await nodeFetch()(server.baseUrl)).statusText).toBe('');
    }));
});

describe('a request', () => {
  it('carries method, headers and text', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.end());
      await nodeFetch()(`${server.baseUrl}/x`, {
        method: 'post',
        headers: [['X-One', '1']],
        body: 'naïve',
        redirect: 'manual',
      });
      const [{ method, url, headers, body } = {}] = server.requests as Partial<(typeof server.requests)[0]>[];
      expect([method, url, body]).toEqual(['POST', '/api/v1/x', 'naïve']);
      expect(headers).toMatchObject({
        'x-one': '1',
        'content-length': '6',
        'content-type': 'text/plain;charset=UTF-8',
        connection: 'keep-alive',
        host: `127.0.0.1:${server.port}`,
      });
    }));

  const bytes = Uint8Array.from([104, 105]);

  it.each<[string, () => BodyInit]>([
    ['a Uint8Array', () => bytes],
    ['a view into a larger buffer', () => new Uint8Array(Uint8Array.from([0, ...bytes, 0]).buffer, 1, 2)],
    ['an ArrayBuffer', () => bytes.slice().buffer],
    ['a DataView', () => new DataView(bytes.slice().buffer)],
  ])('carries the bytes of %s as they were', (_, body) =>
    leavingNothing(async (net) => {
      const server = await net.http((_request, response) => response.end());
      const given = body();
      const fetched = nodeFetch()(server.baseUrl, { method: 'DELETE', body: given });
      if (ArrayBuffer.isView(given)) new Uint8Array(given.buffer).fill(0);
      await fetched;
      expect(server.requests[0]?.body).toBe('hi');
      expect(server.requests[0]?.headers['content-length']).toBe('2');
      bytes.set([104, 105]);
    }),
  );

  it('without a body says so', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.end());
      await nodeFetch()(server.baseUrl, { method: 'POST', body: null, signal: null });
      expect(server.requests[0]?.headers['content-length']).toBe('0');
    }));

  it('finds an IPv6 address', () =>
    leavingNothing(async () => {
      const error = await rejection(fetch(`http://[::1]:${await freePort()}/`));
      expect(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(Object(error).cause?.code);
    }));
});

describe('nodeFetch refuses', () => {
  const address = 'http://127.0.0.1:9/';
  it.each<[string, () => Promise<unknown>, string]>([
    ['a Request', () => fetch(new Request(address)), 'Request objects'],
    ['another protocol', () => fetch('ftp://example.test/'), 'ftp: addresses'],
    ['data addresses', () => fetch('data:,x'), 'data: addresses'],
    ['a password in the address', () => fetch('http://a:b@example.test/'), 'a user name or password'],
    ['no address', () => fetch('/relative'), 'Invalid URL'],
    ["redirect: 'follow'", () => fetch(address, { redirect: 'follow' }), "redirect: 'follow'"],
    ['CONNECT', () => fetch(address, { method: 'CONNECT' }), 'the method CONNECT'],
    ['a method that is none', () => fetch(address, { method: 'GET /x' }), 'the method GET /x'],
    ['a GET with a body', () => fetch(address, { body: 'x' }), 'a GET takes no body'],
    ['a HEAD with a body', () => fetch(address, { method: 'HEAD', body: 'x' }), 'a HEAD takes no body'],
    ['a stream', () => post(new ReadableStream()), 'a ReadableStream as body'],
    ['a form', () => post(new FormData()), 'a FormData as body'],
    ['a Blob', () => post(new Blob(['x'])), 'a Blob as body'],
    ['query parameters', () => post(new URLSearchParams({ a: 'b' })), 'a URLSearchParams as body'],
    ['a body without a class', () => post(Object.create(null)), 'a object as body'],
    ['integrity', () => fetch(address, { integrity: 'sha256-x' }), 'the option integrity'],
    ['keepalive', () => fetch(address, { keepalive: true }), 'the option keepalive'],
    ['a dispatcher', () => fetch(address, { dispatcher: {} } as RequestInit), 'the option dispatcher'],
  ])('%s, by name', async (_, refused, words) => {
    const error = await rejection(refused());
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(words);
  });
  const post = (body: BodyInit) => fetch(address, { method: 'POST', body });

  it.each([
    'Connection',
    'Transfer-Encoding',
    'content-length',
    'Host',
    'expect',
    'Accept-Encoding',
    'Upgrade',
  ])('the header %s', async (name) => {
    expect(await rejection(fetch(address, { headers: { [name]: '1' } }))).toMatchObject({
      name: 'ConfigurationError',
      option: 'headers',
      message: `headers: must not hold ${name.toLowerCase()}: nodeFetch sets it itself`,
    });
  });
});

describe('a redirect', () => {
  it("is an answer with redirect: 'manual', and else refused", () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) =>
        response.writeHead(307, { location: '/there' }).end('moved'),
      );
      const once = nodeFetch();
      const response = await once(server.baseUrl, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([307, '/there']);
      expect(await response.text()).toBe('moved');
      for (const init of [{}, { redirect: 'error' }] as const) {
        expect(await rejection(once(server.baseUrl, init))).toMatchObject({
          message: 'fetch failed',
          cause: { message: expect.stringContaining('follows no redirects, and got a 307') },
        });
      }
      expect(server.requests).toHaveLength(3);
    }));
});

describe('a signal', () => {
  const reason = new Error('enough');

  it('aborted before is thrown, and nothing begins', async () => {
    expect(await rejection(fetch('http://127.0.0.1:9/', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  it('ends the wait for an answer', () =>
    leavingNothing(async (net) => {
      const controller = new AbortController();
      const server = await net.http(() => controller.abort(reason));
      expect(await rejection(nodeFetch()(server.baseUrl, { signal: controller.signal }))).toBe(reason);
      await gone(server.sockets[0]);
    }));

  it('ends a body', () =>
    leavingNothing(async (net) => {
      const controller = new AbortController();
      const server = await net.http((_, response) => response.write('on and on'));
      const response = await nodeFetch()(server.baseUrl, { signal: controller.signal });
      const text = rejection(response.text());
      controller.abort(reason);
      expect(await text).toBe(reason);
      await gone(server.sockets[0]);
    }));

  it('shared by many holds nothing of those that are over', () =>
    leavingNothing(async (net) => {
      const { signal } = new AbortController();
      const server = await net.http((_, response) => response.end('ok'));
      const once = nodeFetch();
      for (let n = 0; n < 20; n++) await (await once(server.baseUrl, { signal })).text();
      await rejection(once(`http://127.0.0.1:${await freePort()}/`, { signal }));
      await (await once(server.baseUrl, { signal })).body?.cancel();
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }));
});
