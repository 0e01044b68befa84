import { expect, it } from 'vitest';
import type { TransportFailure, TransportOutcome } from '../../src/http/transport.js';
import { type BillPay, type BillPayOptions, createPacer, type Transport } from '../../src/index.js';
import { ended, rejected, resolved, useFakeClock } from '../support/clock.js';
import * as envelopes from '../support/envelopes.js';
import { airtime, clientWithin } from '../support/script.js';

useFakeClock();

const order = { ...airtime, idempotency_key: 'order-1' };

/** What a transport reports that saw its connection and gave it no byte of the request. */
const unsentFor = (why: TransportFailure['why']): TransportFailure => ({
  kind: 'failure',
  why,
  mayHaveArrived: false,
  unsent: true,
  cause: Object.assign(new Error('other side closed'), { code: 'ECONNRESET' }),
});
const unsent = unsentFor('connection');
const { unsent: _, ...notSeen } = unsent;

const received = (status: number, body: object): TransportOutcome => ({
  kind: 'response',
  status,
  headers: new Headers(),
  text: JSON.stringify(body),
});
const accepted = received(202, envelopes.acceptance());

/** A client over a transport that ends its attempts in these outcomes, and the waits between them in ms. */
function clientOver(outcomes: readonly TransportOutcome[], options: BillPayOptions = {}) {
  const sentAt: number[] = [];
  const transport: Transport = async () => {
    const outcome = outcomes[sentAt.length];
    sentAt.push(performance.now());
    if (!outcome) throw new Error('this attempt was not expected');
    return outcome;
  };
  const client = clientWithin({ transport, ...options });
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

it('it is sent again at once also after a time-out or a response', async () => {
  const busy = received(503, envelopes.refusal('QUEUE_UNAVAILABLE'));
  const { client, waits } = clientOver([busy, unsentFor('timeout'), accepted]);
  await resolved(client.airtime.purchase(order));
  const [first, second] = waits();
  expect(first).toBeGreaterThanOrEqual(250);
  expect(second).toBe(0);
});

it('there is a wait where the transport did not see the socket', async () => {
  const { client, waits } = clientOver([notSeen, accepted]);
  await resolved(client.airtime.purchase(order));
  expect(waits()[0]).toBeGreaterThanOrEqual(250);
});

const paused = createPacer();
it.each<[string, TransportFailure, BillPayOptions, (b: BillPay) => Promise<unknown>]>([
  ['after an abort', unsentFor('aborted'), {}, (b) => b.airtime.purchase(order)],
  ['with maxRetries 0', unsent, { maxRetries: 0 }, (b) => b.airtime.purchase(order)],
  ['for a subscription', unsent, {}, (b) => b.webhooks.subscribe({ url: 'https://shop.test/hook' })],
  [
    'when a pacer grants it too late',
    unsent,
    { pacing: paused, totalTimeout: 5000, onAttempt: () => paused.pause(60_000) },
    (b) => b.airtime.purchase(order),
  ],
])('it is not sent again %s', async (_, outcome, options, call) => {
  const { client, waits } = clientOver([outcome, accepted], options);
  expect(await ended(call(client))).toMatchObject({ error: { attempts: 1, mayHaveCharged: false } });
  expect(waits()).toEqual([]);
});

it('its error says so, and that nothing was charged', async () => {
  for (const [outcome, said] of [
    [unsent, /could not connect to .+ \(ECONNRESET\)\. This call charged nothing/],
    [notSeen, /could not connect to .+ \(ECONNRESET\)\. This call charged nothing/],
  ] as const) {
    const { client } = clientOver([outcome], { maxRetries: 0 });
    expect(await rejected(client.airtime.purchase(order))).toMatchObject({
      name: 'ConnectionError',
      attempts: 1,
      mayHaveCharged: false,
      message: expect.stringMatching(said),
    });
  }
});
