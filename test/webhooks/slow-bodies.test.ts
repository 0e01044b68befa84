import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toNodeHandler, type WebhookHandlerOptions } from '../../src/webhooks/index.js';
import { serve } from '../support/serve.js';
import { delivery, receiver } from './deliveries.js';

afterEach(() => {
  vi.useRealTimers();
});

const timed = (options: Partial<WebhookHandlerOptions> = {}) => receiver({ timeout: 10_000, ...options });
const never = () => new Promise<never>(() => undefined);

describe('a body that does not arrive within the timeout', () => {
  it('gets a 408 response at the timeout and not before, as a Request', async () => {
    vi.useFakeTimers();
    const { handler, failures, logger } = timed();
    const body = new ReadableStream({ pull: never });
    let status = 0;
    const response = handler(
      new Request('https://shop.example/', { method: 'POST', body, duplex: 'half' } as RequestInit),
    ).then((received) => {
      status = received.status;
      return received;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(status).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([status, await (await response).text()]).toEqual([408, 'request timeout']);
    expect(failures).toEqual([{ stage: 'read' }]);
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn .*the body has not arrived within the timeout of 10000 ms/),
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gets a 408 response although it sends a byte now and then, and its stream is closed', async () => {
    vi.useFakeTimers();
    const { handler } = timed();
    let closed = false;
    const body = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          await new Promise((resolve) => setTimeout(resolve, 3_000));
          return { done: false as const, value: new Uint8Array(1) };
        },
        async return() {
          closed = true;
          throw new Error('a failure to close changes nothing');
        },
      }),
    };
    const response = handler.receive({ method: 'POST', headers: {}, body });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await response).status).toBe(408);
    expect(closed).toBe(true);
  });

  it('leaves the handler only the rest of the time', async () => {
    vi.useFakeTimers();
    const { handler, stages } = timed({ on: { 'transaction.completed': never } });
    const request = delivery();
    const bytes = new Uint8Array(await request.arrayBuffer());
    async function* late() {
      await new Promise((resolve) => setTimeout(resolve, 9_000));
      yield bytes;
    }
    const response = handler.receive({ method: 'POST', headers: request.headers, body: late() });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await response).status).toBe(503);
    expect(stages()).toEqual(['timeout']);
  });

  it('gets a 408 response on node:http, and its connection is closed', async () => {
    const { handler, handled } = timed({ timeout: 50 });
    const { port } = new URL(await serve(toNodeHandler(handler)));
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 500\r\n\r\n{"event":');
    let received = '';
    for await (const chunk of socket) received += chunk;
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(received).toMatch(/\r\nconnection: close\r\n/i);
    expect(handled).toEqual([]);
  });
});

it('a body that is too large has its stream closed', async () => {
  const { handler } = timed({ maxBodyBytes: 10 });
  let closed = false;
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false as const, value: new Uint8Array(7) }),
      async return() {
        closed = true;
        return { done: true as const, value: undefined };
      },
    }),
  };
  expect((await handler.receive({ method: 'POST', headers: {}, body })).status).toBe(413);
  expect(closed).toBe(true);
});
