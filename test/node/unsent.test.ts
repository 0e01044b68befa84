import { once } from 'node:events';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AttemptRecord, BillPayOptions } from '../../src/index.js';
import { nodeTransport } from '../../src/node/index.js';
import { selfSigned } from '../support/certificate.js';
import { clientAt } from '../support/script.js';
import { acceptance, http, order, whole } from '../support/socket-faults.js';
import { gone, leavingNothing } from '../support/sockets.js';

const clientOf = (baseUrl: string, options: BillPayOptions = {}) =>
  clientAt(baseUrl, { transport: nodeTransport(), ...options });

const certificate = selfSigned();

afterEach(() => {
  vi.restoreAllMocks();
});

/** What may have been charged when a purchase ends in an error, and which. */
const ending = (purchase: Promise<unknown>) =>
  purchase.then(
    () => 'bought',
    ({ name, mayHaveCharged }) => `${name}, charged: ${mayHaveCharged}`,
  );

describe('a purchase that waits for a connection', () => {
  it('aborted in the queue: it never left, and the next in the queue is served', () =>
    leavingNothing(async (net) => {
      const answers: (() => void)[] = [];
      const server = await net.http((_, response) => {
        answers.push(() => response.writeHead(202).end(acceptance));
        if (answers.length === 2) answers[1]?.();
      });
      const billpay = clientOf(server.baseUrl, { transport: nodeTransport({ maxSockets: 1 }) });
      const first = billpay.airtime.purchase(order);
      await vi.waitUntil(() => answers.length === 1, { interval: 1 });
      const controller = new AbortController();
      const second = ending(billpay.airtime.purchase(order, { signal: controller.signal }));
      const third = billpay.airtime.purchase(order);
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      expect(await second).toBe('AbortError, charged: false');
      answers[0]?.();
      expect(await first).toMatchObject({ reference: 'TXN-1' });
      expect(await third).toMatchObject({ reference: 'TXN-1' });
      expect(server.requests).toHaveLength(2);
      expect(server.sockets).toHaveLength(1);
    }));

  it('out of time in the queue: it never left, while the one under way is doubtful', () =>
    leavingNothing(async (net) => {
      const server = await net.http(() => {});
      const billpay = clientOf(server.baseUrl, { transport: nodeTransport({ maxSockets: 1 }) });
      const first = ending(billpay.airtime.purchase(order, { timeout: 300 }));
      await vi.waitUntil(() => server.requests.length === 1, { interval: 1 });
      const second = ending(billpay.airtime.purchase(order, { timeout: 20 }));
      expect(await second).toBe('TimeoutError, charged: false');
      expect(await first).toBe('TimeoutError, charged: true');
      expect(server.requests).toHaveLength(1);
    }));
});

describe('a connection that does not come to be', () => {
  it.each(['timeout', 'abort'])('a name that is never looked up: %s', (how) =>
    leavingNothing(async () => {
      const agent = new Agent({ keepAlive: true, lookup: () => {} });
      const controller = new AbortController();
      const billpay = clientOf('http://localhost:9/api/v1', { transport: nodeTransport({ agent }) });
      const purchase = ending(
        billpay.airtime.purchase(order, { signal: controller.signal, timeout: how === 'abort' ? 9000 : 20 }),
      );
      await vi.waitUntil(() => Object.keys(agent.sockets).length === 1, { interval: 1 });
      if (how === 'abort') controller.abort();
      expect(await purchase).toBe(`${how === 'abort' ? 'AbortError' : 'TimeoutError'}, charged: false`);
    }),
  );

  it('a TLS handshake that stalls: what waits for it never left', () =>
    leavingNothing(async (net) => {
      const heard: Buffer[] = [];
      const server = await net.tcp((socket) => socket.on('data', (chunk) => heard.push(Buffer.from(chunk))));
      const billpay = clientOf(server.baseUrl.replace('http:', 'https:'), { timeout: 100 });
      expect(await ending(billpay.airtime.purchase(order))).toBe('TimeoutError, charged: false');
      expect(heard.length).toBeGreaterThan(0);
    }));

  it('a TLS handshake that breaks', () =>
    leavingNothing(async (net) => {
      const server = await net.tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
      const billpay = clientOf(server.baseUrl.replace('http:', 'https:'));
      expect(await ending(billpay.airtime.purchase(order))).toBe('ConnectionError, charged: false');
    }));

  it.skipIf(!certificate)('a certificate that the agent vouches for is used, and its connection kept', () =>
    leavingNothing(async (net) => {
      const server = await net.https({ ...certificate }, (request, response) => {
        request.resume().on('end', () => response.writeHead(202).end(acceptance));
      });
      const agent = new TlsAgent({ keepAlive: true, ca: certificate?.cert });
      const billpay = clientOf(server.baseUrl, { transport: nodeTransport({ agent }) });
      for (let n = 0; n < 3; n++) expect(await ending(billpay.airtime.purchase(order))).toBe('bought');
      expect(server.sockets).toHaveLength(1);
      agent.destroy();
    }),
  );
});

/**
 * A server in a thread of its own, which does something to a connection after its first answer. `idle` blocks this thread
 * until that is done, so that the kernel knows of it and the event loop does not: as after a process was frozen.
 */
async function staleServer(afterwards: string) {
  const done = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { createServer } = require('node:net');
     const { parentPort, workerData: { done, whole } } = require('node:worker_threads');
     let first = true;
     const server = createServer((socket) => {
       const finish = () => { Atomics.store(done, 0, 1); Atomics.notify(done, 0); };
       socket.on('error', () => {});
       socket.on('data', (chunk) => {
         if (chunk.includes('POST ')) Atomics.add(done, 1, 1);
         if (!chunk.toString().endsWith('}')) return;
         const close = first;
         first = false;
         socket.write(whole, () => { if (close) setTimeout(() => { ${afterwards} }, 20); });
       });
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: { done, whole } },
  );
  const [port] = await once(worker, 'message');
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    idle: () => Atomics.wait(done, 0, 0, 5000),
    requests: () => Atomics.load(done, 1),
    close: () => worker.terminate(),
  };
}

const answer408 = JSON.stringify(http('408 Request Timeout', ['connection: close', 'content-length: 0']));

describe('a kept connection that went stale unseen', () => {
  it.each([
    ['closed', 'socket.once("close", finish); socket.destroy();'],
    ['half closed', 'socket.end(finish);'],
    ['reset', 'socket.resetAndDestroy(); setTimeout(finish, 20);'],
    ['told so with a 408', `socket.end(${answer408}, finish);`],
  ])('%s: the request is kept back, and sent at once on a new one', async (_, afterwards) => {
    const server = await staleServer(afterwards);
    try {
      const records: AttemptRecord[] = [];
      const billpay = clientOf(server.baseUrl, {
        maxRetries: 4,
        onAttempt: (record) => records.push(record),
      });
      await billpay.airtime.purchase(order);
      expect(server.idle()).not.toBe('timed-out');
      expect(await billpay.airtime.purchase(order)).toMatchObject({ reference: 'TXN-1' });
      expect(records.map(({ status, retryInMs }) => status ?? retryInMs)).toEqual([202, 0, 202]);
      expect(server.requests()).toBe(2);
    } finally {
      await server.close();
    }
  });

  it('without a retry: nothing was charged', async () => {
    const server = await staleServer('socket.once("close", finish); socket.destroy();');
    try {
      const billpay = clientOf(server.baseUrl);
      await billpay.airtime.purchase(order);
      expect(server.idle()).not.toBe('timed-out');
      await expect(billpay.airtime.purchase(order)).rejects.toMatchObject({
        mayHaveCharged: false,
        message: expect.stringMatching(
          /^airtime\.purchase could not connect to 127\.0\.0\.1:\d+ \(ECONNRESET\)\. This call charged nothing\.$/,
        ),
      });
      expect(server.requests()).toBe(1);
    } finally {
      await server.close();
    }
  });
});

describe('an answer that nobody asked for', () => {
  it('on an idle connection is not taken for the next one', () =>
    leavingNothing(async (net) => {
      const evil = acceptance.replace('TXN-1', 'TXN-EVIL');
      const server = await net.tcp((socket) =>
        socket.on('data', (chunk) => {
          if (chunk.toString().endsWith('}')) socket.write(whole);
        }),
      );
      const billpay = clientOf(server.baseUrl, { maxRetries: 1 });
      await billpay.airtime.purchase(order);
      const [socket] = server.sockets;
      socket?.write(http('202 Accepted', [`content-length: ${evil.length}`], evil));
      // The client closes a connection on which something comes that it did not ask for.
      await gone(socket);
      expect(await billpay.airtime.purchase(order)).toMatchObject({ reference: 'TXN-1' });
    }));
});
