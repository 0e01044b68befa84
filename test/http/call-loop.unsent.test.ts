import { expect, it } from 'vitest';
import type { TransportOutcome } from '../../src/http/transport.js';
import { BillPay, type BillPayOptions, type Transport } from '../../src/index.js';
import { rejected, resolved, useFakeClock } from '../support/clock.js';
import { airtime } from '../support/script.js';

useFakeClock();

const order = { ...airtime, idempotency_key: 'order-1' };

/** A transport that saw its connection and gave it no byte of the request. */
const unsent: TransportOutcome = {
  kind: 'failure',
  why: 'connection',
  mayHaveArrived: false,
  unsent: true,
  cause: Object.assign(new Error('other side closed'), { code: 'ECONNRESET' }),
};

const couldNotConnect: TransportOutcome = {
  kind: 'failure',
  why: 'connection',
  mayHaveArrived: false,
  cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
};

const received = (status: number, body: object): TransportOutcome => ({
  kind: 'response',
  status,
  headers: new Headers(),
  text: JSON.stringify(body),
});

const accepted = received(202, {
  status: 'pending',
  code: 'PROCESSING',
  message: 'accepted',
  data: {
    reference: 'TXN-1',
    ...airtime,
    channel: 'API_GATEWAY',
    currency: 'NGN',
    created_at: '2026-01-31 10:30:00',
  },
});

/** A client over a transport that ends its attempts in these outcomes, and the waits between them in ms. */
function clientOver(outcomes: readonly TransportOutcome[], options: BillPayOptions = {}) {
  const sentAt: number[] = [];
  const transport: Transport = async () => {
    const outcome = outcomes[sentAt.length];
    sentAt.push(performance.now());
    if (!outcome) throw new Error('this attempt was not expected');
    return outcome;
  };
  const client = new BillPay({
    apiKey: 'sk_test_4f9c1d7e',
    clientId: 'client-1',
    baseUrl: 'https://service.test/api/v1',
    logLevel: 'off',
    transport,
    ...options,
  });
  return { client, waits: () => sentAt.slice(1).map((at, n) => at - (sentAt[n] ?? 0)) };
}

it('a request that never left is sent again at once, and once only', async () => {
  const { client, waits } = clientOver([unsent, unsent, unsent, accepted], { maxRetries: 3 });
  await resolved(client.airtime.purchase(order));
  const [first, second, third] = waits();
  expect(first).toBe(0);
  expect(second).toBeGreaterThanOrEqual(500);
  expect(third).toBeGreaterThanOrEqual(1000);
});

it('is still sent again at once after a response', async () => {
  const busy = received(503, { status: 'error', code: 'QUEUE_UNAVAILABLE', message: 'busy' });
  const { client, waits } = clientOver([busy, unsent, accepted]);
  await resolved(client.airtime.purchase(order));
  const [first, second] = waits();
  expect(first).toBeGreaterThanOrEqual(250);
  expect(second).toBe(0);
});

it('its error says so, and that nothing was charged', async () => {
  const { client } = clientOver([unsent], { maxRetries: 0 });
  expect(await rejected(client.airtime.purchase(order))).toMatchObject({
    name: 'ConnectionError',
    attempts: 1,
    mayHaveCharged: false,
    message: expect.stringMatching(
      /was not sent: its connection to .+ had been closed.*\(ECONNRESET\)\. This call charged nothing/,
    ),
  });
  const other = clientOver([couldNotConnect], { maxRetries: 0 });
  expect(await rejected(other.client.airtime.purchase(order))).toMatchObject({
    mayHaveCharged: false,
    message: expect.stringMatching(/could not connect.*\(ECONNREFUSED\)/),
  });
});
