import { inspect } from 'node:util';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { expect, it } from 'vitest';
import { BillPay } from '../../src/index.js';
import {
  instrument,
  instrumentOrders,
  instrumentWebhooks,
  observeOrders,
} from '../../src/opentelemetry/index.js';
import { createOrders, memoryOrderStore } from '../../src/orders/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { createWebhookHandler } from '../../src/webhooks/index.js';
import { recordedTelemetry, useContextManager } from './telemetry.js';

useContextManager();

const recipients = { airtime: '08037654321', meter: '45700123456', profile: '9182736450' };
const webhookSecret = 'whsec_c4n4ry7f31a9e0b2d8';

it('exports no recipient, token, secret or key of any kind, whatever goes wrong', async () => {
  const telemetry = recordedTelemetry();
  const { tracer, meter } = telemetry;
  const http = new UndiciInstrumentation();
  http.setTracerProvider(telemetry.tracerProvider);
  http.setMeterProvider(telemetry.meterProvider);
  const sandbox = createSandbox({ settleAfter: 'manual', rateLimits: false });
  const { connection } = await sandbox.listen();
  const client = { ...connection, maxRetries: 1, retryDelay: () => 0, logLevel: 'off' } as const;
  const billpay = new BillPay({ ...client, ...instrument({ tracer, meter }) });
  const wrongKey = 'sk_live_c4n4ry51HqZt8Xw2';
  const refused = new BillPay({ ...client, apiKey: wrongKey, ...instrument({ tracer, meter }) });
  const orders = createOrders({ billpay, store: memoryOrderStore(), ...instrumentOrders({ meter }) });
  const stop = observeOrders(orders, { meter });
  const handler = createWebhookHandler({
    secret: webhookSecret,
    on: {
      'transaction.completed': (event) => {
        throw new Error(`no place for ${event.data.token}`);
      },
    },
    logger: { info() {}, warn() {}, error() {} },
    ...instrumentWebhooks({ meter }),
  });
  sandbox.webhooks.subscribe({ handler, secret: webhookSecret });

  const meterOrder = {
    biller: 'IKEDC',
    recipient: recipients.meter,
    meter_type: 'prepaid',
    amount: 900,
  } as const;
  await orders.place({ id: 'canary-order-1', product: 'electricity', params: meterOrder });
  const { reference } = await orders.buy('canary-order-1');
  await sandbox.settle(String(reference), 'success');
  const { token } = await billpay.transactions.status(String(reference));

  const airtime = { biller: 'MTN', recipient: recipients.airtime, amount: 100 };
  sandbox.faults.add({ status: 502, code: `NO ${recipients.airtime}`, message: recipients.airtime });
  await billpay.airtime.purchase({ ...airtime, idempotency_key: 'canary-order-2' });
  await Promise.allSettled([
    billpay.airtime.purchase({
      ...airtime,
      recipient: recipients.profile,
      idempotency_key: 'canary-order-2',
    }),
    billpay.airtime.purchase({ ...airtime, amount: -5, idempotency_key: 'canary-order-3' }),
    billpay.edu.validate({ biller: 'JAMB', recipient: recipients.profile }),
    refused.airtime.purchase({ ...airtime, idempotency_key: 'canary-order-4' }),
  ]);
  sandbox.faults.add({ connection: 'close', when: 'after', times: 2 });
  await billpay.airtime.purchase({ ...airtime, idempotency_key: 'canary-order-5' }).catch(() => {});

  const metrics = await telemetry.collect();
  const exported = inspect([telemetry.spans(), metrics], {
    depth: 12,
    maxArrayLength: null,
    breakLength: 200,
  });
  stop();
  http.disable();
  await sandbox.close();
  await telemetry.close();

  // Everything that could carry a canary was there.
  expect(token).toMatch(/\d{20}/);
  expect(metrics.map(({ descriptor }) => descriptor.name)).toEqual(
    expect.arrayContaining([
      'billpay.client.calls',
      'billpay.client.unknown_outcomes',
      'billpay.webhook.deliveries',
      'billpay.order.transitions',
      'billpay.orders',
    ]),
  );
  for (const shown of ['airtime.purchase', 'IdempotencyKeyReusedError', 'AuthenticationError', 'url.full']) {
    expect(exported).toContain(shown);
  }
  const canaries = [
    ...Object.values(recipients),
    String(token),
    connection.apiKey,
    wrongKey,
    webhookSecret,
    'canary-order',
  ];
  for (const canary of canaries) expect(exported.includes(canary), canary).toBe(false);
});
