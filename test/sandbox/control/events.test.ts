import { expect, test } from 'vitest';
import { airtime, call } from '../support.js';
import { controlled, openEvents, type ServerEvent } from './support.js';

const names = (events: readonly ServerEvent[]) =>
  events.map(({ event, data }) => [event, data['change']].join(' ').trim());

test('what happens is sent as it happens, in order', async () => {
  const { origin, sandbox } = await controlled();
  sandbox.webhooks.subscribe({ handler: () => new Response() });
  const take = await openEvents(`${origin}/_sandbox/events`);
  sandbox.faults.add({ status: 503 }).remove();
  sandbox.setPrice({ product: 'edu', biller: 'WAEC', product_code: 'WAEC-RESULT', amount: 4000 });
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient: '08000000001' }));
  await sandbox.advance('1s');
  sandbox.client().update({ verified: true });
  sandbox.reset();
  const events = await take(13);
  expect(names(events)).toEqual([
    'fault added',
    'fault removed',
    'price',
    'wallet',
    'transaction accepted',
    'request',
    'transaction settled',
    'wallet',
    'event',
    'delivery',
    'clock',
    'client',
    'reset',
  ]);
  expect(events[4]?.data).toMatchObject({
    type: 'transaction',
    transaction: { state: 'pending', amount: 500 },
  });
  expect(events[9]?.data).toMatchObject({ delivery: { state: 'delivered' }, attempt: { status: 200 } });
  const ids = events.map(({ data }) => Number(data['id']));
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
});

test('a client filter lets through what is of that client, and what is of no client', async () => {
  const { origin, sandbox } = await controlled();
  const take = await openEvents(`${origin}/_sandbox/events?client=client_empty`);
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  sandbox.client('client_empty').fund(10);
  sandbox.faults.add({ status: 503 });
  expect(names(await take(2))).toEqual(['wallet', 'fault added']);
});

test('a stream that its client leaves stops listening', async () => {
  const { origin, sandbox } = await controlled();
  const controller = new AbortController();
  await fetch(`${origin}/_sandbox/events`, { signal: controller.signal });
  controller.abort();
  for (let sale = 0; sale < 20; sale++) {
    await call(sandbox, 'POST', '/airtime/purchase', airtime(`k${sale}`));
  }
  await sandbox.close();
});
