import { diag } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BillPay } from '../../src/index.js';
import { instrumentOrders, instrumentWebhooks, observeOrders } from '../../src/opentelemetry/index.js';
import { createOrders, memoryOrderStore, type OrderStats } from '../../src/orders/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { createWebhookHandler } from '../../src/webhooks/index.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { recordedTelemetry } from './telemetry.js';

let telemetry: ReturnType<typeof recordedTelemetry>;

beforeEach(() => {
  telemetry = recordedTelemetry();
});

afterEach(async () => {
  vi.useRealTimers();
  await telemetry.close();
});

describe('instrumentWebhooks', () => {
  it('counts deliveries by response, event and reason, and measures how long they take', async () => {
    const handler = createWebhookHandler({
      secret,
      on: { 'transaction.completed': () => {} },
      logger: { info() {}, warn() {}, error() {} },
      ...instrumentWebhooks({ meter: telemetry.meter }),
    });
    await handler(delivery());
    await handler(delivery({ reference: 'TXN-2' }));
    await handler(delivery({ event: 'wallet.08031234567' }));
    await handler(delivery({ headers: { 'X-Service-Signature': '0'.repeat(64) } }));
    await handler(new Request('https://shop.example/'));
    const points = [
      [{ 'http.response.status_code': 200, 'billpay.webhook.event': 'transaction.completed' }, 2],
      [{ 'http.response.status_code': 200, 'billpay.webhook.event': '_OTHER' }, 1],
      [{ 'http.response.status_code': 401, 'error.type': 'signature_mismatch' }, 1],
      [{ 'http.response.status_code': 405 }, 1],
    ];
    expect(await telemetry.points('billpay.webhook.deliveries')).toEqual(points);
    expect(await telemetry.points('billpay.webhook.delivery.duration')).toEqual(points);
  });
});

it('tells the diagnostic log where a meter throws, and nothing else notices', async () => {
  const lines: string[] = [];
  const quiet = { debug() {}, info() {}, warn() {}, verbose() {} };
  diag.setLogger({ ...quiet, error: (line) => lines.push(line) });
  const fails = () => {
    throw new Error('no meter');
  };
  const meter = Object({ createCounter: fails, createHistogram: fails });
  instrumentWebhooks({ meter }).onDelivery({ status: 200, durationMs: 1 });
  instrumentOrders({ meter }).onTransition({ product: 'airtime' }, 'placed', 'buying');
  diag.disable();
  expect(lines).toEqual(Array(2).fill('billpay: a span or metric was lost (Error)'));
});

describe('instrumentOrders', () => {
  it('counts the transitions of real orders', async () => {
    const sandbox = createSandbox({ settleAfter: 'manual' });
    const billpay = new BillPay({ ...sandbox.connection, maxRetries: 0, logLevel: 'off' });
    const orders = createOrders({
      billpay,
      store: memoryOrderStore(),
      ...instrumentOrders({ meter: telemetry.meter }),
    });
    const params = { biller: 'MTN', recipient: '08031234567', amount: 500 };
    sandbox.faults.add({ status: 402 });
    for (const id of ['order-1', 'order-2']) {
      await orders.place({ id, product: 'airtime', params });
      await orders.buy(id);
      await orders.resumeHeld();
    }
    await sandbox.close();
    const product = { 'billpay.order.product': 'airtime' };
    expect(await telemetry.points('billpay.order.transitions')).toEqual([
      [{ ...product, 'billpay.order.from': 'placed', 'billpay.order.state': 'buying' }, 2],
      [{ ...product, 'billpay.order.from': 'buying', 'billpay.order.state': 'held' }, 1],
      [{ ...product, 'billpay.order.from': 'buying', 'billpay.order.state': 'accepted' }, 1],
    ]);
  });
});

describe('observeOrders', () => {
  const stats = (): OrderStats => ({
    count: {
      placed: 0,
      buying: 0,
      accepted: 3,
      delivered: 9,
      failed: 0,
      unknown: 2,
      refused: 0,
      held: 0,
      review: 0,
    },
    oldest: { accepted: new Date('2026-01-31T09:29:00Z'), unknown: new Date('2026-01-31T09:30:05Z') },
    awaitingRefund: 1,
    spent: 12_500.5,
    contradicted: 0,
    breaker: undefined,
    pacer: undefined,
  });

  it('reports counts, ages, refunds and money until it is stopped', async () => {
    vi.useFakeTimers({ now: new Date('2026-01-31T09:30:00Z'), toFake: ['Date'] });
    const asked = vi.fn(async () => stats());
    const stop = observeOrders({ stats: asked }, { meter: telemetry.meter });
    expect(await telemetry.points('billpay.orders')).toEqual(
      Object.entries(stats().count).map(([state, count]) => [{ 'billpay.order.state': state }, count]),
    );
    expect(await telemetry.points('billpay.orders.oldest.age')).toEqual([
      [{ 'billpay.order.state': 'accepted' }, 60],
      // Placed in the future by this clock.
      [{ 'billpay.order.state': 'unknown' }, 0],
    ]);
    expect(await telemetry.points('billpay.orders.awaiting_refund')).toEqual([[{}, 1]]);
    expect(await telemetry.points('billpay.orders.spent_today')).toEqual([[{}, 12_500.5]]);
    asked.mockClear();
    stop();
    await telemetry.collect();
    expect(asked).not.toHaveBeenCalled();
  });
});
