import type { RequestListener } from 'node:http';
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { serve } from '../support/serve.js';
import { delivery, receiver } from './deliveries.js';

/** A receiver, and its handler as JavaScript callers mount it, without the compiler's objection. */
const mountedReceiver = () => {
  const made = receiver();
  return { ...made, mounted: made.handler as never };
};

async function deliverTo(listener: RequestListener): Promise<[number, string]> {
  const { method, headers, body } = delivery();
  const url = `${await serve(listener)}/webhooks`;
  const response = await fetch(url, { method, headers, body, duplex: 'half' } as RequestInit);
  return [response.status, await response.text()];
}

describe('a handler that is mounted without toNodeHandler', () => {
  it.each<[string, (mounted: never) => RequestListener]>([
    ['node:http', (mounted) => mounted],
    ['Express', (mounted) => express().post('/webhooks', mounted)],
    ['Express, after express.json()', (mounted) => express().use(express.json()).post('/webhooks', mounted)],
  ])('in %s responds with 500 and says what is missing', async (_, listenerOf) => {
    const { mounted, handled, failures, logger } = mountedReceiver();
    expect(await deliverTo(listenerOf(mounted))).toEqual([500, 'error']);
    expect(handled).toEqual([]);
    expect(failures).toEqual([{ stage: 'request' }]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatch(/^error .*node:http, Express.*mount toNodeHandler\(handler\)/);
  });
});

describe('a handler that is called with something other than a Request', () => {
  it('in Hono responds with 500 and says what to pass', async () => {
    const { mounted, logger } = mountedReceiver();
    const app = new Hono().post('/webhooks', mounted);
    const response = await app.request('/webhooks', { method: 'POST', body: '{}' });
    expect(response.status).toBe(500);
    expect(logger.lines[0]).toMatch(/^error .*not a Request.*Hono: handler\(c\.req\.raw\).*handler\.receive/);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'POST'],
    ["an API gateway's event", { httpMethod: 'POST', headers: {}, body: '{}' }],
    ['plain headers', { method: 'POST', headers: { 'x-service-signature': 'a' } }],
    ['headers but no method', { headers: new Headers() }],
  ])('responds with 500 to %s', async (_, argument) => {
    const { handler, failures } = receiver();
    expect((await handler(argument as never)).status).toBe(500);
    expect(failures).toEqual([{ stage: 'request' }]);
  });

  it('accepts a request of another realm or polyfill', async () => {
    const { handler, handled } = receiver();
    const { method, headers, body } = delivery();
    expect((await handler({ method, headers, body, bodyUsed: false } as Request)).status).toBe(200);
    expect(handled).toEqual(['TXN-1']);
  });
});

describe('receive', () => {
  const unreadable = {
    get method(): string {
      throw new Error('a getter');
    },
  };

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a method that has no text', { method: Object.create(null), headers: {}, body: '' }],
    ['a delivery that cannot be read', unreadable],
  ])('never rejects, and responds with 500 to %s', async (_, given) => {
    const { handler, failures } = receiver();
    expect(await handler.receive(given as never)).toMatchObject({ status: 500 });
    expect(failures).toEqual([{ stage: 'request' }]);
  });
});
