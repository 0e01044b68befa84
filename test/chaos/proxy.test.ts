import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Fault } from './proxy/faults.js';
import { messageLength } from './proxy/message.js';
import { FaultyProxy, type ProxyOptions } from './proxy/proxy.js';

const request = 'POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody';
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nright';

/** Behind the proxy: keeps what comes, answers whole requests. */
let service: Server;
let came: string[];
let proxy: FaultyProxy | undefined;

beforeEach(async () => {
  const own: string[] = [];
  came = own;
  service = createServer((socket) => {
    const n = own.push('') - 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      own[n] += chunk.toString();
      if (messageLength(Buffer.from(own[n] ?? '')) !== undefined) socket.write(answer);
    });
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
});

afterEach(async () => {
  await proxy?.close();
  service.close();
});

/** Sends the request through the proxy; what comes back, and how it ends. */
async function exchanged(options: Partial<ProxyOptions>): Promise<{ text: string; end: string }> {
  proxy = await FaultyProxy.start({ targetPort: (service.address() as AddressInfo).port, ...options });
  const client: Socket = connect(proxy.port, '127.0.0.1', () => client.write(request));
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => {
    client.on('error', (error) => resolve({ text, end: String(Reflect.get(error, 'code')) }));
    client.on('end', () => resolve({ text, end: 'end' }));
    client.setTimeout(300, () => {
      client.destroy();
      resolve({ text, end: 'open' });
    });
  });
}

it.each<[Fault, { text: string; end: string }, string[]]>([
  [{ kind: 'none' }, { text: answer, end: 'open' }, [request]],
  [{ kind: 'cut-request', at: 10, how: 'fin' }, { text: '', end: 'end' }, [request.slice(0, 10)]],
  [{ kind: 'cut-request', at: 9999, how: 'fin' }, { text: '', end: 'end' }, [request]],
  [{ kind: 'cut-request', at: 0, how: 'rst' }, { text: '', end: 'ECONNRESET' }, []],
  [{ kind: 'cut-answer', at: 12, how: 'fin' }, { text: answer.slice(0, 12), end: 'end' }, [request]],
  [{ kind: 'cut-answer', at: 0, how: 'rst' }, { text: '', end: 'ECONNRESET' }, [request]],
  [{ kind: 'stall-request', at: 20 }, { text: '', end: 'open' }, [request.slice(0, 20)]],
  [{ kind: 'stall-answer', at: 20 }, { text: answer.slice(0, 20), end: 'open' }, [request]],
  [{ kind: 'half-open', at: 20, afterMs: 20 }, { text: '', end: 'open' }, [request.slice(0, 20)]],
  [{ kind: 'half-open', at: 9999, afterMs: 20 }, { text: '', end: 'open' }, [request]],
  [{ kind: 'drip-request', bytes: 9, everyMs: 1 }, { text: answer, end: 'open' }, [request]],
  [{ kind: 'drip-answer', bytes: 9, everyMs: 1 }, { text: answer, end: 'open' }, [request]],
  [{ kind: 'late', afterMs: 20, how: 'fin' }, { text: '', end: 'end' }, [request]],
  [{ kind: 'twice' }, { text: answer, end: 'open' }, [request, request]],
])('%o', async (fault, seen, sent) => {
  expect(await exchanged({ faultFor: () => fault })).toEqual(seen);
  await expect.poll(() => came.filter((text) => text !== '')).toEqual(sent);
});

it.each([true, false])('a page, the request forwarded: %s', async (forwarded) => {
  const { text, end } = await exchanged({ faultFor: () => ({ kind: 'page', status: 502, forwarded }) });
  expect(text).toMatch(/^HTTP\/1\.1 502 .*<h1>502<\/h1>/s);
  expect(end).toBe('end');
  expect(came).toEqual(forwarded ? [request] : []);
});

it.each([
  ['reset', 'ECONNRESET'],
  ['silent', 'open'],
] as const)('a connection that is %s', async (welcome, end) => {
  expect(await exchanged({ welcome: () => welcome })).toEqual({ text: '', end });
  expect(came).toEqual([]);
});

it.each([
  ['fin', 'end'],
  ['rst', 'ECONNRESET'],
] as const)('ends an idle connection by %s', async (how, end) => {
  expect(await exchanged({ idle: { ms: 30, how } })).toEqual({ text: answer, end });
});

it('refuses connections in an outage, and is back at the same port', async () => {
  proxy = await FaultyProxy.start({ targetPort: (service.address() as AddressInfo).port });
  const { port } = proxy;
  const outage = proxy.outage(50);
  const client = connect(port, '127.0.0.1');
  const [error] = await once(client, 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  await outage;
  const again = connect(port, '127.0.0.1');
  await once(again, 'connect');
  again.destroy();
});

it('turns its faults off when everything under way has reached the service', async () => {
  proxy = await FaultyProxy.start({ targetPort: (service.address() as AddressInfo).port });
  const { port } = proxy;
  // Node takes one connection a turn: most of these still wait to be taken when their callers have long gone.
  const callers = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  await Promise.all(
    callers.map(async (caller) => {
      caller.on('error', () => undefined);
      await once(caller, 'connect');
      caller.end(request);
    }),
  );
  await proxy.mend();
  expect(came.filter((text) => text === request)).toHaveLength(callers.length);
});
