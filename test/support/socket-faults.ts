import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BillPay, BillPayOptions } from '../../src/index.js';
import { selfSigned } from './certificate.js';
import * as envelopes from './envelopes.js';
import { airtime } from './envelopes.js';
import { clientAt } from './script.js';
import { freePort, gone, type Listening, leavingNothing, type Net } from './sockets.js';

export const order = { ...airtime, idempotency_key: 'order-1' } as const;

export const acceptance = JSON.stringify(envelopes.acceptance());

export const http = (status: string, headers: readonly string[], body = '') =>
  `HTTP/1.1 ${status}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;

export const whole = http(
  '202 Accepted',
  ['content-type: application/json', `content-length: ${acceptance.length}`],
  acceptance,
);

const page = '<html><body>Sorry</body></html>';

/** The rejection of a purchase. */
async function failed(billpay: BillPay): Promise<Record<string, unknown>> {
  try {
    await billpay.airtime.purchase(order);
  } catch (error) {
    return error as Record<string, unknown>;
  }
  throw new Error('the purchase succeeded');
}

/** The shortest possible wait before a retry: these tests run in real time. */
export const hasty = () => vi.spyOn(Math, 'random').mockReturnValue(0);

/**
 * The faults of real sockets, for any transport.
 *
 * @param transport - makes the options of each client.
 */
export function faultsOfSockets(transport: () => BillPayOptions): void {
  const clientOf = (baseUrl: string, options: BillPayOptions = {}) =>
    clientAt(baseUrl, { ...transport(), ...options });

  afterEach(() => {
    vi.restoreAllMocks();
  });
  describe('a connection that never comes to be', () => {
    it('refused: nothing was charged', () =>
      leavingNothing(async () => {
        const error = await failed(clientOf(`http://127.0.0.1:${await freePort()}/api/v1`));
        expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, mayHaveCharged: false });
        expect(error['message']).toMatch(
          /could not connect to 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. This call charged nothing\.$/,
        );
      }));

    it('refused on every address of a name', () =>
      leavingNothing(async () => {
        const error = await failed(clientOf(`http://localhost:${await freePort()}/api/v1`));
        expect(error).toMatchObject({ name: 'ConnectionError', mayHaveCharged: false });
      }));

    it('a name that does not resolve: nothing was charged', () =>
      leavingNothing(async () => {
        const error = await failed(clientOf('https://billpay.invalid/api/v1'));
        expect(error).toMatchObject({ name: 'ConnectionError', mayHaveCharged: false });
        expect(error['message']).toMatch(
          /could not connect to billpay\.invalid:443 \((ENOTFOUND|EAI_AGAIN)\)/,
        );
      }));

    it('then there: the retry buys, once', () =>
      leavingNothing(async () => {
        hasty();
        const port = await freePort();
        const server = createTcpServer((socket) =>
          socket.on('error', () => {}).once('data', () => socket.end(whole)),
        );
        const purchase = await clientOf(`http://127.0.0.1:${port}/api/v1`, {
          maxRetries: 1,
          onAttempt: () => server.listen(port, '127.0.0.1'),
        }).airtime.purchase(order);
        expect(purchase.reference).toBe('TXN-1');
        await new Promise((resolve) => server.close(resolve));
      }));
  });

  /** A server that responds to whatever comes with these bytes, and closes the connection. */
  const answering = (bytes: string) => (net: Net) =>
    net.tcp((socket) => socket.once('data', () => socket.end(bytes)));
  const proxy = (status: number) => (net: Net) =>
    net.http((_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end(page));
  const chunked = ['content-type: application/json', 'transfer-encoding: chunked'];
  const begun = acceptance.slice(0, 100);
  const unreadable = { name: 'UnexpectedResponseError', status: 202 };
  const unusable = { name: expect.stringMatching(/^(ConnectionError|UnexpectedResponseError)$/) };

  describe('a purchase is in doubt, after one attempt, where the response is', () => {
    it.each<[string, (net: Net) => Promise<Listening>, object]>([
      [
        'none: closed before the request was read',
        (net) => net.tcp((socket) => socket.destroy()),
        {
          name: 'ConnectionError',
          message: expect.stringContaining("Retry with idempotency_key 'order-1'"),
        },
      ],
      [
        'none: reset when the request came',
        (net) => net.tcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
        { name: 'ConnectionError' },
      ],
      [
        'reset in the middle of the body',
        (net) =>
          net.tcp((socket) =>
            socket.once('data', () => socket.write(whole.slice(0, -40), () => socket.resetAndDestroy())),
          ),
        {},
      ],
      [
        'reset in the middle of a body that had been seen to begin',
        (net) =>
          net.http((_, response) => {
            response.writeHead(202, { 'content-type': 'application/json' });
            response.write(acceptance.slice(0, 20), () => response.socket?.resetAndDestroy());
          }),
        {},
      ],
      ['shorter than its length', answering(whole.replace(/length: \d+/, 'length: 9999')), unreadable],
      [
        'chunked, without its end',
        answering(http('202 Accepted', chunked, `64\r\n${begun}\r\n`)),
        unreadable,
      ],
      ['a chunk that breaks off', answering(http('202 Accepted', chunked, `fff\r\n${begun}`)), unreadable],
      [
        'a body that ends with the connection, too early',
        answering(http('202 Accepted', ['connection: close'], begun)),
        unreadable,
      ],
      [
        'a gzip body that is none',
        answering(
          http(
            '202 Accepted',
            ['content-encoding: gzip', `content-length: ${acceptance.length}`],
            acceptance,
          ),
        ),
        unreadable,
      ],
      [
        'a 429 whose body is cut',
        answering(http('429 Too Many', ['retry-after: 600', 'content-length: 500'], '{"status":"err')),
        { name: 'RateLimitError', status: 429 },
      ],
      [
        'a 502 whose body is cut',
        answering(http('502 Bad Gateway', ['transfer-encoding: chunked'], '5\r\n<html')),
        { name: 'ServerError', status: 502 },
      ],
      ['no HTTP at all', answering('SSH-2.0-OpenSSH_9.6\r\n'), unusable],
      ['half a status line', answering('HTTP/1.1 20'), unusable],
      [
        'one with two lengths',
        answering(http('202 Accepted', ['content-length: 5', 'content-length: 7'], acceptance)),
        unusable,
      ],
      ['one with a chunk size that is none', answering(http('202 Accepted', chunked, 'zz\r\n')), unusable],
      ["a proxy's 200", proxy(200), { name: 'UnexpectedResponseError', status: 200, body: page }],
      ["a proxy's 502", proxy(502), { name: 'ServerError', status: 502, body: page }],
      ["a proxy's 503", proxy(503), { name: 'ServerError', status: 503, body: page }],
      ["a proxy's 404", proxy(404), { name: 'NotFoundError', status: 404, body: page }],
    ])('%s', (_, serve, expected) =>
      leavingNothing(async (net) => {
        const { baseUrl } = await serve(net);
        const error = await failed(clientOf(baseUrl));
        expect(error).toMatchObject({ ...expected, mayHaveCharged: true, attempts: 1 });
      }),
    );

    it('closed after processing: the retry brings back what was bought', () =>
      leavingNothing(async (net) => {
        hasty();
        const sold = new Map<unknown, string>();
        const server = await net.http((request, response) => {
          const { idempotency_key } = JSON.parse(request.body);
          const known = sold.has(idempotency_key);
          sold.set(idempotency_key, acceptance);
          if (known)
            response.writeHead(202, { 'content-type': 'application/json' }).end(sold.get(idempotency_key));
          else request.socket.destroy();
        });
        const { data, attempts } = await clientOf(server.baseUrl, { maxRetries: 2 })
          .airtime.purchase(order)
          .withResponse();
        expect([data.reference, attempts, sold.size]).toEqual(['TXN-1', 2, 1]);
        expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
      }));
  });

  describe('a keep-alive connection', () => {
    it('that the server closed between calls costs no call', () =>
      leavingNothing(async (net) => {
        hasty();
        const server = await net.http((_, response) => {
          response.writeHead(202, {
            'content-type': 'application/json',
            'content-length': acceptance.length,
          });
          response.end(acceptance);
        });
        const billpay = clientOf(server.baseUrl, { maxRetries: 2 });
        await billpay.airtime.purchase(order);
        server.sockets[0]?.destroy();
        expect(await billpay.airtime.purchase(order)).toMatchObject({ reference: 'TXN-1' });
        expect(server.sockets).toHaveLength(2);
      }));

    it('that the server closes under the request: the retry takes a new one', () =>
      leavingNothing(async (net) => {
        hasty();
        const server = await net.http((request, response) => {
          if (server.requests.length === 2) {
            request.socket.destroy();
            return;
          }
          response.writeHead(202, { 'content-length': acceptance.length }).end(acceptance);
        });
        const billpay = clientOf(server.baseUrl, { maxRetries: 2 });
        await billpay.airtime.purchase(order);
        const { attempts } = await billpay.airtime.purchase(order).withResponse();
        expect(attempts).toBe(2);
        expect(server.requests.map(({ body }) => body)).toEqual(Array(3).fill(server.requests[0]?.body));
      }));

    it('is not affected by bytes after the response', () =>
      leavingNothing(async (net) => {
        hasty();
        const other = acceptance.replace('TXN-1', 'TXN-EVIL');
        const server = await net.tcp((socket) =>
          socket.on('data', () => {
            const stray = http('202 Accepted', [`content-length: ${other.length}`], other);
            socket.write(server.sockets.length === 1 ? whole + stray : whole);
          }),
        );
        const billpay = clientOf(server.baseUrl, { maxRetries: 2 });
        for (let n = 0; n < 2; n++) {
          expect(await billpay.airtime.purchase(order)).toMatchObject({ reference: 'TXN-1' });
        }
      }));
  });

  describe('a slow response', () => {
    /** Headers at once, then one byte after the other. */
    const drip = (status: number) => (_: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.write('{');
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
    };

    it('is cut by the timeout, however it drips, and its connection with it', () =>
      leavingNothing(async (net) => {
        const server = await net.http(drip(202));
        const error = await failed(clientOf(server.baseUrl, { timeout: 100 }));
        expect(error).toMatchObject({ name: 'TimeoutError', mayHaveCharged: true, attempts: 1 });
        expect(error['message']).toContain('the timeout of 100 ms');
        await gone(server.sockets[0]);
      }));

    it('is cut by the deadline', () =>
      leavingNothing(async (net) => {
        const server = await net.http(drip(202));
        const error = await failed(clientOf(server.baseUrl, { totalTimeout: 100, maxRetries: 4 }));
        expect(error).toMatchObject({ name: 'TimeoutError', mayHaveCharged: true, attempts: 1 });
        expect(error['message']).toContain('its totalTimeout of 100 ms');
        await gone(server.sockets[0]);
      }));

    it('of an error keeps the class of its status', () =>
      leavingNothing(async (net) => {
        const server = await net.http(drip(500));
        const error = await failed(clientOf(server.baseUrl, { timeout: 100 }));
        expect(error).toMatchObject({ name: 'ServerError', status: 500, mayHaveCharged: true });
        await gone(server.sockets[0]);
      }));

    it('that never begins is cut, too', () =>
      leavingNothing(async (net) => {
        const server = await net.tcp((socket) => socket.resume());
        const error = await failed(clientOf(server.baseUrl, { timeout: 100 }));
        expect(error).toMatchObject({ name: 'TimeoutError', mayHaveCharged: true });
        await gone(server.sockets[0]);
      }));

    it('is ended by an abort, and its connection with it', () =>
      leavingNothing(async (net) => {
        const controller = new AbortController();
        const server = await net.http((request, response) => {
          drip(202)(request, response);
          controller.abort();
        });
        const call = clientOf(server.baseUrl).airtime.purchase(order, { signal: controller.signal });
        await expect(call).rejects.toMatchObject({ name: 'AbortError', mayHaveCharged: true, attempts: 1 });
        await gone(server.sockets[0]);
      }));
  });

  describe('a redirect', () => {
    it.each([301, 302, 303, 307, 308])('%i is named and not followed: the key stays here', (status) =>
      leavingNothing(async (net) => {
        const other = await net.http((_, response) => response.end(acceptance));
        const target = `${other.baseUrl}/airtime/purchase`;
        const server = await net.http((_, response) =>
          response.writeHead(status, { location: target }).end(),
        );
        const billpay = clientOf(server.baseUrl, { maxRetries: 4 });
        const error = await failed(billpay);
        expect(error).toMatchObject({
          name: 'UnexpectedResponseError',
          status,
          mayHaveCharged: true,
          attempts: 1,
        });
        expect(error['message']).toContain(`was redirected to ${target}; redirects are not followed`);
        expect(error['message']).toContain('Set baseUrl to the final address.');
        await expect(billpay.data.products({ biller: 'MTN' })).rejects.toMatchObject({ status });
        expect(other.sockets).toHaveLength(0);
        expect(server.requests).toHaveLength(2);
      }),
    );
  });

  describe('a body over the cap of 10 MiB', () => {
    const megabyte = Buffer.alloc(1024 * 1024, 0x20);
    const over = /its body (is larger than the 10 MiB that are read|could not be read)/;

    it.each<[string, Record<string, string>]>([
      ['chunked', {}],
      ['by its content-length', { 'content-length': String(12 * megabyte.length) }],
    ])('%s is not read on', (_, headers) =>
      leavingNothing(async (net) => {
        let written = 0;
        const server = await net.http((_request, response) => {
          response.writeHead(202, { 'content-type': 'application/json', ...headers });
          const more = () => {
            if (written++ < 12) response.write(megabyte, more);
          };
          more();
        });
        const error = await failed(clientOf(server.baseUrl));
        expect(error).toMatchObject({ name: 'UnexpectedResponseError', status: 202, mayHaveCharged: true });
        expect(error['message']).toMatch(over);
        await gone(server.sockets[0]);
      }),
    );

    it('a bomb of 1 GiB in 1 MB is refused at the cap', () =>
      leavingNothing(async (net) => {
        const part = gzipSync(Buffer.alloc(64 * 1024 * 1024));
        const bomb = Buffer.concat(Array<Buffer>(16).fill(part));
        const server = await net.http((_, response) => {
          response.writeHead(202, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
        });
        const error = await failed(clientOf(server.baseUrl));
        expect(error).toMatchObject({ name: 'UnexpectedResponseError', status: 202, mayHaveCharged: true });
        expect(error['message']).toMatch(over);
      }));

    it('that is an error keeps the class of its status', () =>
      leavingNothing(async (net) => {
        const server = await net.http((_, response) => {
          response.writeHead(502);
          for (let n = 0; n < 12; n++) response.write(megabyte);
          response.end();
        });
        expect(await failed(clientOf(server.baseUrl))).toMatchObject({ name: 'ServerError', status: 502 });
      }));

    it('but one of 9 MiB is read, packed or not', () =>
      leavingNothing(async (net) => {
        const padded = Buffer.concat([Buffer.from(acceptance), Buffer.alloc(9 * 1024 * 1024, 0x20)]);
        const server = await net.http((_, response) => {
          const packed = server.requests.length === 2;
          response.writeHead(202, packed ? { 'content-encoding': 'gzip' } : {});
          response.end(packed ? gzipSync(padded) : padded);
        });
        for (let n = 0; n < 2; n++) {
          expect(await clientOf(server.baseUrl).airtime.purchase(order)).toMatchObject({
            reference: 'TXN-1',
          });
        }
      }));
  });

  describe('TLS', () => {
    const certificate = selfSigned();

    it.skipIf(!certificate)('a certificate that nobody vouches for ends it before anything is sent', () =>
      leavingNothing(async (net) => {
        const listener = vi.fn();
        const server = await net.https({ ...certificate }, listener);
        const error = await failed(clientOf(server.baseUrl, { maxRetries: 0 }));
        expect(error).toMatchObject({ name: 'ConnectionError', mayHaveCharged: false });
        expect(error['message']).toMatch(/could not connect to \S+:\d+ \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
        expect(listener).not.toHaveBeenCalled();
      }),
    );

    it('a server that speaks no TLS is not sent the key', () =>
      leavingNothing(async (net) => {
        const heard: Buffer[] = [];
        const server = await net.tcp((socket) =>
          socket.on('data', (chunk) => {
            heard.push(Buffer.from(chunk));
            socket.end(http('400 Bad Request', ['content-length: 0']));
          }),
        );
        const error = await failed(clientOf(server.baseUrl.replace('http:', 'https:')));
        expect(error).toMatchObject({ name: 'ConnectionError' });
        expect(Buffer.concat(heard).includes('sk_test')).toBe(false);
      }));
  });

  it('sends one request for one attempt, also when the response is a 421, and is in doubt then', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => {
        const isFirst = server.requests.length === 1;
        response.writeHead(isFirst ? 421 : 422, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isFirst ? {} : envelopes.refusal('GATEWAY_ERROR')));
      });
      const error = await failed(clientOf(server.baseUrl));
      expect(error).toMatchObject({ name: 'ApiError', status: 421, attempts: 1, mayHaveCharged: true });
      expect(server.requests).toHaveLength(1);
    }));

  it('announces the length of a body in bytes, and sends it in one piece', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(202).end(acceptance));
      const body = { note: '₦500 für Òjó', idempotency_key: 'order-1' };
      await clientOf(server.baseUrl).request({ method: 'POST', path: '/x', body });
      const [request] = server.requests;
      expect(JSON.parse(request?.body ?? '')).toEqual({ client_id: 'client-1', ...body });
      expect(request?.headers).toMatchObject({
        'content-length': String(Buffer.byteLength(request?.body ?? '')),
      });
      expect(request?.headers).not.toHaveProperty('transfer-encoding');
    }));

  it('gives a Response whatever bytes the status line holds', () =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) =>
        socket.once('data', () => socket.end(Buffer.from(whole.replace('Accepted', '₦ ✓')))),
      );
      const { response } = await clientOf(server.baseUrl).airtime.purchase(order).withResponse();
      expect(response.status).toBe(202);
      expect(await response.json()).toMatchObject({ status: 'pending' });
    }));

  it('takes numbers of calls at once without leaving anything', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(202).end(acceptance));
      const billpay = clientOf(server.baseUrl);
      const purchases = await Promise.all(Array.from({ length: 50 }, () => billpay.airtime.purchase(order)));
      expect(purchases.map(({ reference }) => reference)).toEqual(Array(50).fill('TXN-1'));
      expect(server.requests).toHaveLength(50);
    }));
}
