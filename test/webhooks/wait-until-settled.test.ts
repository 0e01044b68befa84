import { expect, it, onTestFinished } from 'vitest';
import { BillPay } from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import {
  createSettlementEvents,
  createWebhookHandler,
  toNodeHandler,
  type WebhookHandler,
} from '../../src/webhooks/index.js';
import { serve } from '../support/serve.js';
import { recordingLogger } from './deliveries.js';

it('a wait ends with the webhook that this process received before or during the wait', async () => {
  const sandbox = createSandbox({ settleAfter: 'manual' });
  const { baseUrl, close } = await sandbox.listen({ port: 0 });
  onTestFinished(close);
  const { clientId, secretKey: apiKey } = sandbox.credentials;
  const billpay = new BillPay({ apiKey, clientId, baseUrl });

  let receive: WebhookHandler | undefined;
  const url = await serve((request, response) => receive && toNodeHandler(receive)(request, response));
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
