import { getEventListeners, once, setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import type { BillPayOptions } from '../../src/index.js';
import { type NodeTransportOptions, nodeTransport } from '../../src/node/index.js';
import { selfSigned } from '../support/certificate.js';
import { clientAt } from '../support/script.js';
import { acceptance, order } from '../support/socket-faults.js';
import { gone, leavingNothing } from '../support/sockets.js';

const clientOf = (baseUrl: string, transport?: NodeTransportOptions, options: BillPayOptions = {}) =>
  clientAt(baseUrl, { transport: nodeTransport(transport), ...options });

const certificate = selfSigned();

describe('options', () => {
  it.each<[string, unknown, string]>([
    ['options', null, 'must be an object'],
    ['agent', { agent: {} }, 'must be an agent of node:http or node:https'],
    ['maxSockets', { maxSockets: 0 }, 'must be a whole number of at least 1, or Infinity'],
    ['maxSockets', { maxSockets: '9' }, 'must be a whole number'],
    ['keepAliveTimeout', { keepAliveTimeout: 0 }, 'must be a number of milliseconds'],
    ['keepAliveTimeout', { keepAliveTimeout: 2 ** 31 }, 'at most 2147483647'],
    ['keepAliveTimeout', { keepAliveTimeout: '4s' }, 'must be a number of milliseconds'],
    ['maxSockets', { agent: new Agent(), maxSockets: 1 }, 'does not go with agent'],
    ['keepAliveTimeout', { agent: new Agent(), keepAliveTimeout: 1 }, 'does not go with agent'],
  ])('%s: %o', (option, given, words) => {
    expect(() => nodeTransport(given as NodeTransportOptions)).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        option,
        message: expect.stringContaining(words),
      }),
    );
  });

  it('a runtime without node:http is refused when the fetch is made', () => {
    vi.stubGlobal('process', {});
    try {
      expect(() => nodeTransport()).toThrow(/^nodeTransport: needs Node/);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('a header that would frame the request otherwise ends a call before anything is sent', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.end());
      const billpay = clientOf(server.baseUrl, {}, { headers: { 'Transfer-Encoding': 'chunked' } });
      await expect(billpay.airtime.purchase(order)).rejects.toMatchObject({
        name: 'ConfigurationError',
        option: 'headers',
      });
      expect(server.sockets).toHaveLength(0);
    }));
});

describe('connections', () => {
  it('1,000 calls, 50 at a time, over at most 10 of them, leave nothing', () =>
    leavingNothing(async (net) => {
      const { signal } = new AbortController();
      setMaxListeners(0, signal);
      const server = await net.http((_, response) => response.writeHead(202).end(acceptance));
      const billpay = clientOf(server.baseUrl, { maxSockets: 10 });
      let left = 1000;
      const worker = async () => {
        while (left-- > 0) await billpay.airtime.purchase(order, { signal });
      };
      await Promise.all(Array.from({ length: 50 }, worker));
      expect(server.requests).toHaveLength(1000);
      expect(server.sockets).toHaveLength(10);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }));

  it('that are idle for keepAliveTimeout are closed', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(202).end(acceptance));
      const billpay = clientOf(server.baseUrl, { keepAliveTimeout: 30 });
      await billpay.airtime.purchase(order);
      await gone(server.sockets[0]);
      await billpay.airtime.purchase(order);
      expect(server.sockets).toHaveLength(2);
    }));

  it('that a call uses outlive keepAliveTimeout', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => {
        setTimeout(() => response.writeHead(202).end(acceptance), 60);
      });
      const billpay = clientOf(server.baseUrl, { keepAliveTimeout: 10 });
      expect(await billpay.airtime.purchase(order)).toMatchObject({ reference: 'TXN-1' });
    }));

  it('are not shared by two nodeTransport', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(202).end(acceptance));
      for (let n = 0; n < 2; n++) await clientOf(server.baseUrl).airtime.purchase(order);
      expect(server.sockets).toHaveLength(2);
    }));
});

describe("the caller's agent", () => {
  it('makes the connections', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(202).end(acceptance));
      const agent = new Agent({ keepAlive: true, maxSockets: 2 });
      const billpay = clientOf(server.baseUrl, { agent });
      await Promise.all(Array.from({ length: 6 }, () => billpay.airtime.purchase(order)));
      expect(server.sockets).toHaveLength(2);
      expect(Object.values(agent.freeSockets).flat()).toHaveLength(2);
      agent.destroy();
    }));

  it('of the wrong scheme is refused before anything is sent', async () => {
    const billpay = clientOf('https://127.0.0.1:9/api/v1', { agent: new Agent() });
    await expect(billpay.airtime.purchase(order)).rejects.toMatchObject({
      name: 'ConfigurationError',
      option: 'agent',
      message: 'agent: cannot serve https://127.0.0.1:9; give an agent of node:https',
    });
  });

  it('that cannot connect: the request never left', () =>
    leavingNothing(async () => {
      const agent = new Agent();
      Object.assign(agent, {
        createConnection: () => {
          throw new Error('no tunnel today');
        },
      });
      await expect(
        clientOf('http://127.0.0.1:9/api/v1', { agent }).airtime.purchase(order),
      ).rejects.toMatchObject({ name: 'ConnectionError', mayHaveCharged: false });
    }));

  /** Tunnels through a proxy, as proxy agents do: the connection is there before its TLS is. */
  function tunnelAgent(proxyPort: number, ca?: Buffer): TlsAgent {
    const createConnection = (
      { host, port }: { host: string; port: number },
      done: (error: Error | null, socket?: Socket) => void,
    ) => {
      const socket = connect(proxyPort, '127.0.0.1');
      socket.once('error', done);
      socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`);
      socket.once('data', (head) => {
        if (!head.toString().startsWith('HTTP/1.1 200')) return done(new Error('the proxy refused'));
        done(null, connectTls({ socket, host, ...(ca && { ca }) }));
      });
    };
    return Object.assign(new TlsAgent({ keepAlive: true }), { createConnection });
  }

  it.skipIf(!certificate)('goes through a proxy to a server with a CA of its own', () =>
    leavingNothing(async (net) => {
      const server = await net.https({ ...certificate }, (request, response) => {
        request.resume().on('end', () => response.writeHead(202).end(acceptance));
      });
      const tunnels: string[] = [];
      const proxy = await net.tcp((socket) =>
        socket.once('data', async (head) => {
          tunnels.push(String(head).split('\r\n')[0] ?? '');
          const onward = connect(server.port, '127.0.0.1').on('error', () => {});
          await once(onward, 'connect');
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        }),
      );
      const agent = tunnelAgent(proxy.port, certificate?.cert);
      const billpay = clientOf(server.baseUrl, { agent });
      for (let n = 0; n < 2; n++) {
        expect(await billpay.airtime.purchase(order)).toMatchObject({ reference: 'TXN-1' });
      }
      expect(tunnels).toEqual([`CONNECT 127.0.0.1:${server.port} HTTP/1.1`]);
      agent.destroy();
    }),
  );

  it('whose proxy refuses: the request never left', () =>
    leavingNothing(async (net) => {
      const proxy = await net.tcp((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 407 No\r\n\r\n')),
      );
      const agent = tunnelAgent(proxy.port);
      await expect(
        clientOf('https://billpay.test/api/v1', { agent }).airtime.purchase(order),
      ).rejects.toMatchObject({ name: 'ConnectionError', mayHaveCharged: false });
    }));
});
