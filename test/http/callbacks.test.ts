import { expect, it } from 'vitest';
import type { Transport } from '../../src/index.js';
import { accepted, airtime, clientWith, clientWithin, keptLines, script } from '../support/script.js';
import { rejectionOf } from '../support/wire.js';

const order = { ...airtime, idempotency_key: 'order-1' };
const rejecting = () => Promise.reject(new Error('the table is down')) as never;

it('a headers function that is async is refused before anything is sent, and rejects nobody else', async () => {
  const { fetch, sent } = script(accepted());
  const error = await rejectionOf(clientWith(fetch, { headers: rejecting }).airtime.purchase(order));
  expect(error).toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('headers: is a function that returned a promise'),
    mayHaveCharged: false,
  });
  expect(sent).toHaveLength(0);
});

it('a retryDelay that is async is reported, and the built-in backoff is used', async () => {
  const { messages, logger } = keptLines();
  const busy = () => new Response('', { status: 502 });
  const { fetch, sent } = script(busy, accepted());
  const billpay = clientWith(fetch, { logger, logLevel: 'warn', retryDelay: rejecting });
  await billpay.airtime.purchase(order);
  expect(sent).toHaveLength(2);
  expect(messages().join('\n')).toMatch(/retryDelay did not return a number of ms/);
});

it.each(['idempotencyKey', 'idempotency_key'])('the option %s says where the key belongs', async (name) => {
  const { fetch, sent } = script(accepted());
  const call = clientWith(fetch).airtime.purchase(airtime, { [name]: 'order-1' });
  expect(await rejectionOf(call)).toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('belongs in the parameters, as idempotency_key'),
  });
  expect(sent).toHaveLength(0);
});

it.each(['dns', 'Timeout', '', 'constructor', '__proto__'])(
  'a transport that failed for a reason of its own (%j) ends the purchase like a lost connection',
  async (why) => {
    for (const mayHaveArrived of [true, false]) {
      const transport = (async () => ({ kind: 'failure', why, mayHaveArrived })) as unknown as Transport;
      const error = await rejectionOf(clientWithin({ transport, maxRetries: 0 }).airtime.purchase(order));
      expect(error).toMatchObject({
        name: 'ConnectionError',
        idempotencyKey: 'order-1',
        mayHaveCharged: mayHaveArrived,
      });
    }
  },
);
