import { expect, test } from 'vitest';
import { airtime, call } from '../support.js';
import { controlled, openEvents } from './support.js';

test('the stream says that something changed, and names what happened last', async () => {
  const { origin, sandbox } = await controlled();
  const take = await openEvents(`${origin}/_sandbox/events`);
  await call(sandbox, 'POST', '/airtime/purchase', airtime('order-1'));
  expect(await take(1)).toMatchObject([
    { event: 'changed', data: { type: 'request', idempotency_key: 'order-1', id: expect.any(Number) } },
  ]);
  sandbox.reset();
  expect(await take(1)).toMatchObject([{ event: 'changed', data: { type: 'reset' } }]);
});

test('a busy sandbox is one event, whatever happened in it: nothing is kept for a reader that is slow', async () => {
  const { origin, sandbox } = await controlled();
  const take = await openEvents(`${origin}/_sandbox/events`);
  for (let at = 0; at < 2000; at++) sandbox.client().fund(1);
  const [first] = await take(1);
  expect(first).toMatchObject({ event: 'changed', data: { type: 'wallet' } });
  sandbox.faults.add({ status: 503 });
  expect(await take(1)).toMatchObject([{ data: { type: 'fault' } }]);
});

test('a stream that its client leaves stops listening', async () => {
  const { origin, sandbox } = await controlled();
  const controller = new AbortController();
  await fetch(`${origin}/_sandbox/events`, { signal: controller.signal });
  controller.abort();
  for (let transaction = 0; transaction < 20; transaction++) {
    await call(sandbox, 'POST', '/airtime/purchase', airtime(`k${transaction}`));
  }
  await sandbox.close();
});

test('HEAD opens no stream, and a misspelt parameter is refused', async () => {
  const { origin, send } = await controlled();
  const head = await fetch(`${origin}/_sandbox/events`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(await send('GET', '/events?clinet=a')).toMatchObject({ status: 400 });
  expect(await send('DELETE', '/events')).toMatchObject({ status: 404 });
});
