import type { RequestListener } from 'node:http';
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import {
  createWebhookHandler,
  RetryLaterError,
  type WebhookDeliveryRecord,
  type WebhookHandlerOptions,
} from '../../src/webhooks/index.js';
import { serve } from '../support/serve.js';
import { delivery, receiver, recordingLogger, secret } from './deliveries.js';

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

/** A receiver that keeps what `onDelivery` was called with. */
function watched(options: Partial<WebhookHandlerOptions> = {}) {
  const records: WebhookDeliveryRecord[] = [];
  const handler = createWebhookHandler({
    secret,
    logger: recordingLogger(),
    on: { 'transaction.completed': () => {} },
    onDelivery: (record) => records.push(record),
    ...options,
  });
  return { handler, records };
}

const throwing = (error: Error) => () => {
  throw error;
};
const durationMs = expect.any(Number);

describe('onDelivery', () => {
  it('is called once for each delivery, with the event, and without its token', async () => {
    const { handler, records } = watched();
    for (const event of ['transaction.completed', 'transaction.completed', 'transaction.failed', 'x.y']) {
      await handler(delivery({ event }));
    }
    expect(records).toStrictEqual([
      { status: 200, durationMs, event: 'transaction.completed' },
      { status: 200, durationMs, event: 'transaction.completed' },
      { status: 200, durationMs, event: 'transaction.failed' },
      { status: 200, durationMs, event: 'x.y' },
    ]);
  });

  const forged = delivery({ headers: { 'X-Service-Signature': '0'.repeat(64) } });
  const throws = (error: Error) => ({ on: { 'transaction.completed': throwing(error) } });
  const event = 'transaction.completed';

  it.each<[string, Request, Partial<WebhookHandlerOptions>, Partial<WebhookDeliveryRecord>]>([
    ['does not verify', forged, {}, { status: 401, reason: 'signature_mismatch' }],
    ['is not JSON', delivery({ body: 'x' }), {}, { status: 400, reason: 'body_not_json' }],
    ['is not a POST', new Request('https://shop.example/'), {}, { status: 405 }],
    ['is too large', delivery(), { maxBodyBytes: 10 }, { status: 413 }],
    ['makes its handler throw', delivery(), throws(new Error('database')), { status: 500, event }],
    ['is asked for again', delivery(), throws(new RetryLaterError('not yet')), { status: 503, event }],
  ])('is called for a delivery that %s', async (_, request, options, expected) => {
    const { handler, records } = watched(options);
    expect((await handler(request)).status).toBe(expected.status);
    expect(records).toStrictEqual([{ durationMs, ...expected }]);
  });

  it.each<[string, () => unknown]>([
    ['throws', throwing(new TypeError('callback'))],
    ['rejects', async () => throwing(new TypeError('callback'))()],
  ])('that %s changes nothing', async (_, onDelivery) => {
    expect((await watched({ onDelivery }).handler(delivery())).status).toBe(200);
  });
});
