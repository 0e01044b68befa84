import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Fault } from './proxy/faults.js';
import { messageLength } from './proxy/message.js';
import { FaultyProxy, type ProxyOptions } from './proxy/proxy.js';

const request = 'POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody';
const response = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nright';

/** A service behind the proxy that records what it receives and responds to complete requests. */
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
      if (messageLength(Buffer.from(own[n] ?? '')) !== undefined) socket.write(response);
    });
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
});

afterEach(async () => {
  await proxy?.close();
  service.close();
});

/** Sends the request through the proxy; resolves to what comes back and how it ends. */
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
  [{ kind: 'none' }, { text: response, end: 'open' }, [request]],
  [{ kind: 'cut-request', at: 10, how: 'fin' }, { text: '', end: 'end' }, [request.slice(0, 10)]],
  [{ kind: 'cut-request', at: 9999, how: 'fin' }, { text: '', end: 'end' }, [request]],
  [{ kind: 'cut-request', at: 0, how: 'rst' }, { text: '', end: 'ECONNRESET' }, []],
  [{ kind: 'cut-response', at: 12, how: 'fin' }, { text: response.slice(0, 12), end: 'end' }, [request]],
  [{ kind: 'cut-response', at: 0, how: 'rst' }, { text: '', end: 'ECONNRESET' }, [request]],
  [{ kind: 'stall-request', at: 20 }, { text: '', end: 'open' }, [request.slice(0, 20)]],
  [{ kind: 'stall-response', at: 20 }, { text: response.slice(0, 20), end: 'open' }, [request]],
  [{ kind: 'half-open', at: 20, afterMs: 20 }, { text: '', end: 'open' }, [request.slice(0, 20)]],
  [{ kind: 'half-open', at: 9999, afterMs: 20 }, { text: '', end: 'open' }, [request]],
  [{ kind: 'drip-request', bytes: 9, everyMs: 1 }, { text: response, end: 'open' }, [request]],
  [{ kind: 'drip-response', bytes: 9, everyMs: 1 }, { text: response, end: 'open' }, [request]],
  [{ kind: 'late', afterMs: 20, how: 'fin' }, { text: '', end: 'end' }, [request]],
  [{ kind: 'twice' }, { text: response, end: 'open' }, [request, request]],
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
  expect(await exchanged({ idle: { ms: 30, how } })).toEqual({ text: response, end });
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
  // Node accepts one connection in each turn of its event loop: most of these still wait when their callers have given up.
  const callers = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  await Promise.all(
    callers.map(async (caller) => {
      caller.on('error', () => undefined);
      await once(caller, 'connect');
      caller.end(request);
    }),
  );
  await proxy.heal();
  expect(came.filter((text) => text === request)).toHaveLength(callers.length);
});
