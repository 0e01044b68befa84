import { expect, test } from 'vitest';
import { airtime, call, referenceOf } from '../support.js';
import { controlled, openEvents, type ServerEvent } from './support.js';

const names = (events: readonly ServerEvent[]) =>
  events.map(({ event, data }) => [event, data['change']].join(' ').trim());

test('what happens is sent as it happens, in order', async () => {
  const { origin, sandbox } = await controlled();
  const take = await openEvents(`${origin}/_sandbox/events`);
  sandbox.webhooks.subscribe({ handler: () => new Response() });
  sandbox.faults.add({ status: 503 }).remove();
  sandbox.faults.add({ status: 503 });
  await call(sandbox, 'GET', '/tv/products?biller=GOTV');
  sandbox.setPrice({ product: 'edu', biller: 'WAEC', product_code: 'WAEC-RESULT', amount: 4000 });
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient: '08000000001' }));
  await sandbox.advance('1s');
  sandbox.client().update({ verified: true });
  sandbox.reset();
  const events = await take(18);
  expect(names(events)).toEqual([
    'subscription',
    'fault added',
    'fault removed',
    'fault added',
    'fault used',
    'fault removed',
    'request',
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
  expect(events[9]?.data).toMatchObject({
    type: 'transaction',
    transaction: { state: 'pending', amount: 500 },
  });
  expect(events[14]?.data).toMatchObject({ delivery: { state: 'delivered' }, attempt: { status: 200 } });
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
  for (let transaction = 0; transaction < 20; transaction++) {
    await call(sandbox, 'POST', '/airtime/purchase', airtime(`k${transaction}`));
  }
  await sandbox.close();
});

test('summaries are sent at the start and after changes, to those who ask for them', async () => {
  const { origin, sandbox, ok } = await controlled({ settleAfter: 'manual' });
  sandbox.webhooks.subscribe({ handler: () => new Response(undefined, { status: 500 }) });
  const take = await openEvents(`${origin}/_sandbox/events?summary=1`);
  expect(await take(1)).toMatchObject([
    {
      event: 'summary',
      data: { summary: { transactions: { total: 0 }, next_retry: null, clock: { kind: 'manual' } } },
    },
  ]);
  const bought = await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  const reference = referenceOf(bought);
  await sandbox.settle(reference, 'failed');
  sandbox.faults.add({ status: 503 });
  const before = await take(8);
  expect(before.filter(({ event }) => event === 'summary')).toEqual([]);
  const [last] = await take(1);
  expect(last?.event).toBe('summary');
  expect(last?.data['summary']).toMatchObject({
    transactions: { total: 1, pending: 0, success: 0, failed: 1 },
    deliveries: { total: 1, pending: 1, failing: 1 },
    next_retry: { delivery_id: sandbox.deliveries[0]?.id, reference, at: '2026-01-31T09:31:00.000Z' },
    requests: 1,
    clients: 1,
    faults: 1,
    audit: { ok: true, refunds: 1 },
    clock: { next_event_at: '2026-01-31T09:31:00.000Z' },
  });
  expect(last?.data['summary']).toEqual(await ok('GET', '/summary'));
});

test('what concerns a transaction brings the transaction as it is now', async () => {
  const { origin, sandbox } = await controlled({ settleAfter: 'manual' });
  sandbox.webhooks.subscribe({ handler: () => new Response('not mine', { status: 404 }) });
  const take = await openEvents(`${origin}/_sandbox/events`);
  const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime('a')));
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  await sandbox.settle(reference, 'success');
  const events = await take(7);
  expect(names(events)).toEqual([
    'wallet',
    'transaction accepted',
    'request',
    'request',
    'transaction settled',
    'event',
    'delivery',
  ]);
  expect(events[1]?.data).toMatchObject({
    transaction: { accepted_at: '2026-01-31T09:30:00.000Z', requests_sent: 0, delivery: null },
  });
  expect(events[3]?.data).toMatchObject({ transaction: { reference, requests_sent: 2 } });
  expect(events[6]?.data).toMatchObject({
    delivery: { recipient: '08031234567', last_status: 404 },
    transaction: { state: 'success', delivery: { attempts: 1, last_status: 404, last_reply: 'not mine' } },
  });
});

test('a client that reads too slowly is told how many events it missed', async () => {
  const { origin, sandbox } = await controlled();
  const take = await openEvents(`${origin}/_sandbox/events`);
  for (let at = 0; at < 1200; at++) sandbox.client().fund(1);
  const events = await take(1001);
  expect(events.slice(0, 1000).every(({ event }) => event === 'wallet')).toBe(true);
  expect(events[1000]).toEqual({ event: 'missed', data: { type: 'missed', count: 200 } });
  sandbox.client().fund(1);
  expect(names(await take(1))).toEqual(['wallet']);
});

test('HEAD opens no stream, and other methods are refused with those that there are', async () => {
  const { origin, send } = await controlled();
  const head = await fetch(`${origin}/_sandbox/events`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(await send('DELETE', '/events')).toMatchObject({
    status: 405,
    body: { detail: expect.stringContaining('takes GET, not DELETE') },
  });
  expect(await send('GET', '/events?clinet=a')).toMatchObject({ status: 400 });
});
