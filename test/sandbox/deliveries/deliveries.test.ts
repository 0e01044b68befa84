import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { airtime, call, type Received, receiver, referenceOf, sandboxAtStart } from '../support.js';

async function subscribed(options: SandboxOptions = {}) {
  const sandbox = sandboxAtStart({ settleAfter: 'manual', ...options });
  const hook = await receiver();
  const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url });
  const secret = /whsec_\w+/.exec(JSON.stringify(reply.body))?.[0] ?? '';
  return { sandbox, hook, secret };
}

const buy = async (sandbox: Sandbox, key: string) =>
  referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime(key)));

const isSigned = ({ headers, body }: Received, secret: string) =>
  createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.${body}`).digest('hex') ===
  headers['x-service-signature'];

const referencesIn = (received: Received[]) => received.map(({ body }) => JSON.parse(body).data.reference);
const idsIn = (received: Received[]) => received.map(({ headers }) => headers['x-service-delivery-id']);

describe('a receiver', () => {
  test('gets nothing more while its subscription is not enabled, and the retries go on', async () => {
    const { sandbox, hook } = await subscribed();
    hook.state.status = 500;
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url, enabled: false });
    await sandbox.advance('1m');
    expect(hook.received).toHaveLength(1);
    expect(sandbox.deliveries[0]).toMatchObject({
      state: 'pending',
      attempts: [{ status: 500 }, { error: 'not sent: the subscription is not enabled', delivered: false }],
    });
    hook.state.status = 200;
    await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url });
    await sandbox.advance('5m');
    expect(hook.received).toHaveLength(2);
    expect(sandbox.deliveries[0]).toMatchObject({ state: 'delivered' });
  });

  const breakingOff = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('no such ')),
      pull: (controller) => controller.error(new Error('gone')),
    });

  test.each<[string, () => Response, string | undefined]>([
    ['is not quoted where it accepts a delivery', () => new Response('ok'), undefined],
    ['is quoted where it does not', () => new Response('no stock', { status: 500 }), 'no stock'],
    ['up to 2,048 bytes', () => new Response('é'.repeat(3000), { status: 400 }), 'é'.repeat(1024)],
    ['as far as its body came', () => new Response(breakingOff(), { status: 400 }), 'no such '],
  ])('%s', async (_, handler, reply) => {
    const { sandbox } = await subscribed();
    sandbox.webhooks.subscribe({ handler });
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    expect(sandbox.deliveries[0]?.attempts[0]).toMatchObject({ status: handler().status, reply });
  });

  test('can be sent any number of corrupt deliveries', async () => {
    const { sandbox, hook } = await subscribed();
    sandbox.corruptDeliveries('duplicate', 400_000_000);
    sandbox.corruptDeliveries('bad-signature');
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    expect(hook.received).toHaveLength(2);
  });
});

describe('a retry that is made now', () => {
  test('takes the place of the scheduled one, and the one after it is scheduled from now', async () => {
    const { sandbox, hook } = await subscribed();
    hook.state.status = 500;
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    const delivery = sandbox.deliveries[0];
    expect(await delivery?.retryNow()).toMatchObject({ number: 2, reason: 'retry', status: 500 });
    const next = new Date(sandbox.now.getTime() + 5 * 60_000);
    expect(delivery).toMatchObject({ state: 'pending', nextAttemptAt: next });
    await sandbox.advance('4m');
    expect(hook.received).toHaveLength(2);
    hook.state.status = 200;
    await delivery?.retryNow();
    expect(delivery).toMatchObject({ state: 'delivered', nextAttemptAt: undefined });
    await sandbox.advance('2h');
    expect(hook.received).toHaveLength(3);
    await expect(delivery?.retryNow()).rejects.toThrow(/has no retry that is scheduled/);
  });

  test('is made once, however often it is asked for', async () => {
    const { sandbox, hook } = await subscribed();
    hook.state.status = 500;
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    const delivery = sandbox.deliveries[0];
    const ends = await Promise.allSettled([delivery?.retryNow(), delivery?.retryNow()]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(hook.received).toHaveLength(2);
  });

  test('is refused while the scheduled one is being sent', async () => {
    const { sandbox, hook } = await subscribed();
    hook.state.status = 500;
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    const delivery = sandbox.deliveries[0];
    let release: () => void = () => undefined;
    hook.state.gate = new Promise((resolve) => {
      release = resolve;
    });
    const advanced = sandbox.advance('1m');
    await vi.waitFor(() => expect(hook.received).toHaveLength(2));
    const refused = expect(delivery?.retryNow()).rejects.toThrow(/has no retry that is scheduled/);
    release();
    await refused;
    await advanced;
    expect(delivery?.nextAttemptAt).toEqual(new Date(sandbox.now.getTime() + 5 * 60_000));
  });
});

describe('settle', () => {
  test('has sent the first webhook when it resolves', async () => {
    const { sandbox, hook } = await subscribed();
    const reference = await buy(sandbox, 'a');
    const transaction = await sandbox.settle(reference, 'success');
    expect(transaction).toMatchObject({ reference, status: 'success' });
    expect(referencesIn(hook.received)).toEqual([reference]);
  });

  test('has changed the state before it returns', async () => {
    const { sandbox } = await subscribed();
    const reference = await buy(sandbox, 'a');
    const settling = sandbox.settle(reference, 'failed');
    expect(sandbox.transaction(reference)).toMatchObject({ status: 'failed', refunded: true });
    expect(sandbox.wallet().balance).toBe(100_000);
    await settling;
  });
});

describe('inspection', () => {
  test('a delivery shows its attempts with headers, body and outcome', async () => {
    const { sandbox, hook } = await subscribed();
    hook.state.status = 500;
    const reference = await buy(sandbox, 'a');
    await sandbox.settle(reference, 'success');
    hook.state.status = 200;
    await sandbox.advance('1m');
    const [delivery] = sandbox.deliveries;
    expect(delivery).toMatchObject({
      clientId: 'client_default',
      reference,
      event: 'transaction.completed',
      body: hook.received[0]?.body,
      state: 'delivered',
      nextAttemptAt: undefined,
      attempts: [
        { number: 1, reason: 'first', url: hook.url, status: 500, delivered: false, corruption: undefined },
        { number: 2, reason: 'retry', url: hook.url, status: 200, delivered: true, corruption: undefined },
      ],
    });
    expect(delivery?.attempts[1]?.headers).toMatchObject({
      'Content-Type': 'application/json',
      'X-Service-Event': 'transaction.completed',
      'X-Service-Delivery-ID': delivery?.id,
      'X-Service-Timestamp': hook.received[1]?.headers['x-service-timestamp'],
      'X-Service-Signature': hook.received[1]?.headers['x-service-signature'],
    });
  });

  test('secrets are in no printed delivery', async () => {
    const { sandbox, secret } = await subscribed();
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    const { inspect } = await import('node:util');
    const printed = inspect(sandbox.deliveries, { depth: 9 }) + JSON.stringify(sandbox.deliveries);
    expect(printed).toContain('transaction.completed');
    expect(printed).not.toContain(secret);
    expect(printed).not.toContain(sandbox.credentials.secretKey);
  });
});

describe('redelivery', () => {
  test('sends the same event with the same id, whatever became of it before', async () => {
    const { sandbox, hook, secret } = await subscribed();
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    const attempt = await sandbox.deliveries[0]?.redeliver();
    expect(attempt).toMatchObject({ number: 2, reason: 'redelivery', delivered: true });
    expect(new Set(idsIn(hook.received)).size).toBe(1);
    expect(hook.received.every((received) => isSigned(received, secret))).toBe(true);
  });

  test('one that is taken ends the retries; one that is not leaves them as they were', async () => {
    const { sandbox, hook } = await subscribed();
    hook.state.status = 500;
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    await sandbox.deliveries[0]?.redeliver();
    expect(sandbox.deliveries[0]).toMatchObject({
      state: 'pending',
      nextAttemptAt: new Date('2026-01-31T09:31:00Z'),
    });
    hook.state.status = 200;
    await sandbox.deliveries[0]?.redeliver();
    expect(sandbox.deliveries[0]?.state).toBe('delivered');
    await sandbox.advance('2d');
    expect(hook.received).toHaveLength(3);
  });

  test('goes to where the client is subscribed now, signed with the secret of now', async () => {
    const { sandbox, hook, secret } = await subscribed();
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    const other = await receiver();
    const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url: other.url });
    const newSecret = /whsec_\w+/.exec(JSON.stringify(reply.body))?.[0] ?? '';
    await sandbox.deliveries[0]?.redeliver();
    expect([hook.received.length, other.received.length]).toEqual([1, 1]);
    expect(isSigned(other.received[0]!, newSecret)).toBe(true);
    expect(isSigned(other.received[0]!, secret)).toBe(false);
  });
});

describe('corruption', () => {
  test('bad-signature: another digest of the right shape, once', async () => {
    const { sandbox, hook, secret } = await subscribed();
    sandbox.corruptDeliveries('bad-signature');
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    await sandbox.settle(await buy(sandbox, 'b'), 'success');
    expect(hook.received.map((received) => isSigned(received, secret))).toEqual([false, true]);
    expect(hook.received[0]?.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(sandbox.deliveries[0]?.attempts[0]?.corruption).toBe('bad-signature');
  });

  test('old-timestamp: three days old, and signed correctly', async () => {
    const { sandbox, hook, secret } = await subscribed();
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    await sandbox.deliveries[0]?.redeliver({ corrupt: 'old-timestamp' });
    const [fresh, old] = hook.received.map(({ headers }) => Number(headers['x-service-timestamp']));
    expect((fresh ?? 0) - (old ?? 0)).toBe(3 * 86_400);
    expect(hook.received.every((received) => isSigned(received, secret))).toBe(true);
  });

  test('the retry of a corrupted attempt is sound', async () => {
    const { sandbox, hook, secret } = await subscribed();
    hook.state.status = 401;
    sandbox.corruptDeliveries('bad-signature');
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    hook.state.status = 200;
    await sandbox.advance('1m');
    expect(hook.received.map((received) => isSigned(received, secret))).toEqual([false, true]);
  });

  test('duplicate: the same delivery twice', async () => {
    const { sandbox, hook } = await subscribed();
    sandbox.corruptDeliveries('duplicate', 2);
    await sandbox.settle(await buy(sandbox, 'a'), 'success');
    await sandbox.settle(await buy(sandbox, 'b'), 'success');
    await sandbox.settle(await buy(sandbox, 'c'), 'success');
    const [a, a2, b, b2, c] = idsIn(hook.received);
    expect(hook.received).toHaveLength(5);
    expect([a2, b2]).toEqual([a, b]);
    expect(new Set([a, b, c]).size).toBe(3);
    expect(sandbox.deliveries[0]?.attempts.map(({ reason }) => reason)).toEqual(['first', 'duplicate']);
  });
});

test('many webhooks at once go out 32 at a time, and all arrive', async () => {
  const hook = await receiver();
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  let open = () => {};
  hook.state.gate = new Promise((resolve) => {
    open = () => resolve();
  });
  const sandbox = createSandbox({ settleAfter: 'manual' });
  await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url });
  const references: string[] = [];
  for (let at = 0; at < 80; at++) references.push(await buy(sandbox, `key-${at}`));
  const settling = Promise.all(references.map((reference) => sandbox.settle(reference, 'success')));
  await vi.waitFor(() => expect(hook.state.open).toBe(32), 10_000);
  open();
  await settling;
  expect(referencesIn(hook.received).sort()).toEqual([...references].sort());
  expect(warnings).toEqual([]);
  process.off('warning', warned);
  await sandbox.close();
});

test('closing ends a delivery that is under way, and nothing follows', async () => {
  const hook = await receiver();
  hook.state.hang = true;
  const sandbox = createSandbox({ settleAfter: 'manual' });
  await call(sandbox, 'POST', '/webhooks/subscribe', { url: hook.url });
  const settling = sandbox.settle(await buy(sandbox, 'a'), 'success');
  while (hook.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await sandbox.close();
  await settling;
  expect(sandbox.deliveries[0]).toMatchObject({
    state: 'pending',
    nextAttemptAt: undefined,
    attempts: [{ error: 'the sandbox was closed', delivered: false }],
  });
});
