import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { BillPay } from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import {
  createSettlementEvents,
  createWebhookHandler,
  toNodeHandler,
  type WebhookHandler,
} from '../../src/webhooks/index.js';
import { recordingLogger } from './deliveries.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it('a wait ends with the webhook that this process received before or during the wait', async () => {
  const sandbox = createSandbox({ settleAfter: 'manual' });
  const { baseUrl, close } = await sandbox.listen({ port: 0 });
  closers.push(close);
  const { clientId, secretKey: apiKey } = sandbox.credentials;
  const billpay = new BillPay({ apiKey, clientId, baseUrl });

  let receive: WebhookHandler | undefined;
  const server = createServer((request, response) => receive && toNodeHandler(receive)(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { secret } = await billpay.webhooks.subscribe({ url });
  const events = createSettlementEvents();
  receive = createWebhookHandler({ secret, events, logger: recordingLogger() });

  // No look of its own falls into this test: an hour lies before the first.
  const waiting = { events, interval: 3_600_000, timeout: 7_200_000 };
  const buy = () => billpay.airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });
  const [before, during] = [await buy(), await buy()];

  await sandbox.settle(before.reference, 'success');
  const early = await billpay.transactions.waitUntilSettled(before.reference, waiting);
  expect(early.transaction_status).toBe('success');

  const late = billpay.transactions.waitUntilSettled(during.reference, waiting);
  await sandbox.settle(during.reference, 'failed');
  expect(await late).toMatchObject({ transaction_status: 'failed', refunded: true });
});
