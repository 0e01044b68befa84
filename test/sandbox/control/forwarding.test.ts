import { expect, test } from 'vitest';
import { verifyWebhook } from '../../../src/webhooks/index.js';
import { airtime, call } from '../support.js';
import { type Control, controlled, openEvents } from './support.js';

const open = ({ origin }: Control, body: object = {}, client = 'client_default') =>
  openEvents(`${origin}/_sandbox/clients/${client}/listen`, { method: 'POST', body: JSON.stringify(body) });

interface Delivery {
  readonly id: string;
  readonly now: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const deliveryOf = (data: Record<string, unknown> | undefined) => data as unknown as Delivery;

test('a listening program receives deliveries that verify, and its responses decide about the retries', async () => {
  const control = await controlled();
  const { sandbox, ok } = control;
  const take = await open(control, { url: 'http://localhost:3000/hook' });
  const [ready] = await take(1);
  expect(ready).toMatchObject({ event: 'ready', data: { client_id: 'client_default' } });
  const secret = String(ready?.data['secret']);

  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  expect(sandbox.requests.at(-1)?.warnings).toEqual([]);
  const advancing = sandbox.advance('2m');
  for (const status of [500, 200]) {
    const [event] = await take(1);
    const { id, now, headers, body } = deliveryOf(event?.data);
    expect(verifyWebhook({ body, headers, secret, now: new Date(now) })).toMatchObject({
      event: 'transaction.completed',
    });
    await ok('POST', `/listen/${id}`, { status });
  }
  await advancing;
  expect(sandbox.deliveries[0]).toMatchObject({
    state: 'delivered',
    attempts: [
      { status: 500, url: 'http://localhost:3000/hook' },
      { status: 200, delivered: true },
    ],
  });
});

test('it takes the place of the subscription and its secret, until it disconnects', async () => {
  const control = await controlled({ settleAfter: 'manual' });
  const { sandbox } = control;
  let received = 0;
  const secret = 'whsec_0123456789abcdef0123456789abcdef';
  sandbox.webhooks.subscribe({
    secret,
    handler: () => new Response(undefined, { status: 200 + received++ }),
  });
  const controller = new AbortController();
  const response = await fetch(`${control.origin}/_sandbox/clients/client_default/listen`, {
    method: 'POST',
    signal: controller.signal,
  });
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(secret);

  const [one, two] = [airtime('a'), airtime('b')];
  await call(sandbox, 'POST', '/airtime/purchase', one);
  await call(sandbox, 'POST', '/airtime/purchase', two);
  const [first, second] = sandbox.transactions;
  const settling = sandbox.settle(first?.reference ?? '', 'success');
  await reader?.read();
  controller.abort();
  await settling;
  expect(sandbox.deliveries[0]?.attempts).toMatchObject([
    { delivered: false, error: 'the listening program disconnected' },
  ]);
  await sandbox.settle(second?.reference ?? '', 'success');
  expect(received).toBe(1);
  expect(sandbox.deliveries[1]?.attempts).toMatchObject([{ status: 200 }]);
});

test('the error of a receiver that cannot be reached is in the attempt', async () => {
  const control = await controlled({ settleAfter: 'manual' });
  const { sandbox, ok, send } = control;
  const take = await open(control);
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  const settling = sandbox.settle(sandbox.transactions[0]?.reference ?? '', 'failed');
  const [, event] = await take(2);
  const { id } = deliveryOf(event?.data);
  expect(await send('POST', `/listen/${id}`, { status: 99 })).toMatchObject({ status: 400 });
  await ok('POST', `/listen/${id}`, { error: 'connect ECONNREFUSED' });
  await settling;
  expect(sandbox.deliveries[0]?.attempts).toMatchObject([{ error: 'connect ECONNREFUSED' }]);
  expect(await send('POST', `/listen/${id}`, { status: 200 })).toMatchObject({ status: 404 });
});

test('only one program listens to a client, and only with options that there are', async () => {
  const control = await controlled();
  await open(control);
  const { send } = control;
  expect(await send('POST', '/clients/client_default/listen')).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('has its webhooks intercepted already') },
  });
  expect(await send('POST', '/clients/nobody/listen')).toMatchObject({ status: 404 });
  expect(await send('POST', '/clients/%E0%A4%A/listen')).toMatchObject({ status: 404 });
  for (const body of [{ secret: 'short' }, { url: 'nothing' }, { handler: 1, nonsense: true }]) {
    expect(await send('POST', '/clients/client_empty/listen', body)).toMatchObject({ status: 400 });
  }
});
