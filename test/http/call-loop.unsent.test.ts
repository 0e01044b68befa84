import { expect, it } from 'vitest';
import { leftKey } from '../../src/http/network-failure.js';
import { rejected, resolved, useFakeClock } from '../support/clock.js';
import { accepted, airtime, clientWith, refusal, refused, type Step, script } from '../support/script.js';

useFakeClock();

const order = { ...airtime, idempotency_key: 'order-1' };

/** A transport that saw its socket and gave it no byte of the request. */
const unsent: Step = () => {
  throw Object.assign(new Error('other side closed'), { code: 'ECONNRESET', [leftKey]: false });
};

it('a request that never left is sent again at once, and once only', async () => {
  const { fetch, waits } = script(unsent, unsent, unsent, accepted());
  await resolved(clientWith(fetch, { maxRetries: 3 }).airtime.purchase(order));
  const [first, second, third] = waits();
  expect(first).toBe(0);
  expect(second).toBeGreaterThanOrEqual(500);
  expect(third).toBeGreaterThanOrEqual(1000);
});

it('is still sent again at once where an answer came before it', async () => {
  const { fetch, waits } = script(refusal(503, 'QUEUE_UNAVAILABLE'), unsent, accepted());
  await resolved(clientWith(fetch).airtime.purchase(order));
  const [first, second] = waits();
  expect(first).toBeGreaterThanOrEqual(250);
  expect(second).toBe(0);
});

it('says so when nothing else came of it, and that nothing was charged', async () => {
  const { fetch } = script(unsent);
  expect(await rejected(clientWith(fetch, { maxRetries: 0 }).airtime.purchase(order))).toMatchObject({
    name: 'ConnectionError',
    attempts: 1,
    mayHaveCharged: false,
    message: 'airtime.purchase was not sent: its connection had gone (ECONNRESET). Nothing was charged.',
  });
  const other = script(refused);
  expect(await rejected(clientWith(other.fetch, { maxRetries: 0 }).airtime.purchase(order))).toMatchObject({
    message: expect.stringContaining('could not connect (ECONNREFUSED)'),
  });
});
