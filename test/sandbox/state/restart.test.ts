import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { airtime, call, receiver, referenceOf, sandboxAtStart } from '../support.js';
import { statePath } from './support.js';

const meter = (key: string) => ({
  biller: 'IKEDC',
  recipient: '0124000952992',
  meter_type: 'prepaid',
  amount: 5000,
  idempotency_key: key,
});

/** What two sandboxes on the same state must have in common. */
const contentsOf = (sandbox: Sandbox) =>
  JSON.parse(
    JSON.stringify({
      clients: sandbox.clients,
      transactions: sandbox.transactions,
      // The log of requests is not kept.
      timelines: sandbox.transactions.map(({ reference }) =>
        sandbox.timeline(reference).filter(({ kind }) => kind !== 'request'),
      ),
      ledgers: sandbox.clients.map(({ clientId }) => sandbox.wallet(clientId).ledger),
      balances: sandbox.clients.map(({ clientId }) => sandbox.wallet(clientId).balance),
      deliveries: sandbox.deliveries,
      catalogue: sandbox.catalogue,
      seed: sandbox.seed,
      now: sandbox.now,
      nextEvent: sandbox.nextEvent,
    }),
  );

/** Ends a sandbox and starts another on its state. */
async function restarted(sandbox: Sandbox, options: SandboxOptions): Promise<Sandbox> {
  await sandbox.close();
  const again = createSandbox({ clock: 'manual', ...options });
  return again;
}

describe('a restart keeps everything', () => {
  test('accounts, keys, wallets, transactions, timelines, subscriptions, deliveries, prices and the clock', async () => {
    const options = { state: statePath(), settleAfter: '10m' } as const;
    const first = sandboxAtStart(options);
    const hook = await receiver();
    hook.state.status = 500;
    await call(first, 'POST', '/webhooks/subscribe', { url: hook.url });
    const settled = referenceOf(await call(first, 'POST', '/electricity/purchase', meter('settled')));
    const failed = referenceOf(await call(first, 'POST', '/airtime/purchase', airtime('failed')));
    const pending = referenceOf(
      await call(first, 'POST', '/airtime/purchase', airtime('pending', { recipient: '08000000001' })),
    );
    await first.settle(settled, 'success');
    await first.settle(failed, 'failed');
    await first.advance('1m');
    const secretKey = first.client().rotateSecretKey();
    first.client('client_empty').fund(77.5);
    first.client('client_unverified').update({ verified: true, allowedIps: ['203.0.113.7'] });
    first.client('client_suspended').revokeKey('public');
    first.setPrice({ product: 'data', biller: 'MTN', product_code: 'MTN-2GB-1D', amount: 800 });
    const before = contentsOf(first);

    const second = await restarted(first, options);
    expect(contentsOf(second)).toEqual(before);
    expect(second.timeline(settled).every(({ requestId }) => requestId === undefined)).toBe(true);
    expect(second.audit()).toMatchObject({ ok: true, transactions: 3, debits: 3, refunds: 1 });

    // The old key stays dead, the new one works, and every key repeats its transaction.
    expect(second.credentials.secretKey).toBe(secretKey);
    const repeat = await call(second, 'POST', '/airtime/purchase', airtime('failed'));
    expect(referenceOf(repeat)).toBe(failed);
    const { clientId, publicKey } = second.client('client_suspended');
    second.client('client_suspended').update({ suspended: false });
    expect(
      (await call(second, 'GET', '/tv/products?biller=DSTV', undefined, { clientId, key: publicKey })).status,
    ).toBe(401);

    // Pending settlements and retries go on as they would have, signed with the secret of before.
    hook.state.status = 200;
    await second.advance('15m');
    expect(second.transaction(pending)).toMatchObject({ status: 'failed', refunded: true });
    expect(second.deliveries.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['delivered', 3],
      ['delivered', 3],
      ['delivered', 1],
    ]);
    expect(second.audit().ok).toBe(true);
    await second.close();
  });

  test('a third start finds what the second changed', async () => {
    const options = { state: statePath() };
    let sandbox = sandboxAtStart(options);
    for (const key of ['a', 'b', 'c', 'd']) {
      await call(sandbox, 'POST', '/airtime/purchase', airtime(key));
      sandbox = await restarted(sandbox, options);
    }
    await sandbox.advance('1s');
    sandbox = await restarted(sandbox, options);
    expect(sandbox.transactions.map(({ status, idempotency_key }) => [idempotency_key, status])).toEqual([
      ['a', 'success'],
      ['b', 'success'],
      ['c', 'success'],
      ['d', 'success'],
    ]);
    expect(new Set(sandbox.transactions.map(({ reference }) => reference)).size).toBe(4);
    await sandbox.close();
  });

  test('a delivery that was under way at a reset does not come back', async () => {
    const state = statePath();
    const first = createSandbox({ state, clock: 'manual', settleAfter: 'manual' });
    let received = () => {};
    const isReceived = new Promise<void>((resolve) => {
      received = resolve;
    });
    first.webhooks.subscribe({
      handler: () => {
        received();
        return new Promise<Response>(() => {});
      },
    });
    const reference = referenceOf(await call(first, 'POST', '/airtime/purchase', airtime('a')));
    const settling = first.settle(reference, 'success');
    await isReceived;
    first.reset();
    await settling;
    await first.close();
    const second = createSandbox({ state, clock: 'manual' });
    expect([second.transactions, second.deliveries]).toEqual([[], []]);
    await second.close();
  });

  test('a reset is kept too', async () => {
    const options = { state: statePath() };
    const first = sandboxAtStart(options);
    await call(first, 'POST', '/airtime/purchase', airtime('a'));
    first.reset();
    await call(first, 'POST', '/airtime/purchase', airtime('b'));
    const second = await restarted(first, options);
    expect(second.transactions.map(({ idempotency_key }) => idempotency_key)).toEqual(['b']);
    expect(second.wallet().balance).toBe(99_500);
    expect(second.audit().ok).toBe(true);
    await second.close();
  });

  test('a client that is new in the options is added, and one that is not there any more stays', async () => {
    const state = statePath();
    const first = createSandbox({ state, clients: [{ clientId: 'one', balance: 10 }] });
    const second = await restarted(first, { state, clients: [{ clientId: 'two', balance: 20 }] });
    expect(second.clients.map(({ clientId }) => [clientId, second.wallet(clientId).balance])).toEqual([
      ['two', 20],
      ['one', 10],
    ]);
    await second.close();
  });

  test('references and ids are new after a restart, even with a seed', async () => {
    const options = { state: statePath(), seed: 'same' };
    const first = sandboxAtStart(options);
    await call(first, 'POST', '/airtime/purchase', airtime('a'));
    first.reset();
    await call(first, 'POST', '/airtime/purchase', airtime('b'));
    const taken = first.transactions[0]?.reference;
    const second = await restarted(first, options);
    second.reset();
    await call(second, 'POST', '/airtime/purchase', airtime('c'));
    expect(second.transactions[0]?.reference).not.toBe(taken);
    await second.close();
  });
});

describe('on a real clock', () => {
  test('what fell due while it was down happens at the start, in order', async () => {
    const state = statePath();
    const first = sandboxAtStart({ state, settleAfter: '5m' });
    const a = referenceOf(await call(first, 'POST', '/airtime/purchase', airtime('a')));
    await first.advance('1m');
    const b = referenceOf(
      await call(first, 'POST', '/airtime/purchase', airtime('b', { recipient: '08000000001' })),
    );
    await first.close();

    const seen: string[] = [];
    const second = createSandbox({ state, settleAfter: '5m' });
    second.onActivity((activity) => {
      if (activity.type === 'transaction') seen.push(activity.transaction.reference);
    });
    await vi.waitFor(() => expect(seen).toEqual([a, b]));
    expect(second.transaction(b)).toMatchObject({ status: 'failed', refunded: true });
    await second.close();
  });

  test('an event whose first attempt a crash prevented is sent at the start', async () => {
    const state = statePath();
    const hook = await receiver();
    const first = sandboxAtStart({ state });
    await call(first, 'POST', '/webhooks/subscribe', { url: hook.url });
    await call(first, 'POST', '/airtime/purchase', airtime('a'));
    let release: () => void = () => undefined;
    hook.state.gate = new Promise((resolve) => {
      release = resolve;
    });
    const advanced = first.advance('1s');
    await vi.waitFor(() => expect(hook.received).toHaveLength(1));
    // The file as a process leaves it that dies here: the event is known, its attempt is not.
    const crashed = readFileSync(state);
    release();
    await advanced;
    await first.close();
    writeFileSync(state, crashed);

    const second = createSandbox({ state });
    await vi.waitFor(() => expect(hook.received).toHaveLength(2));
    await second.idle();
    expect(second.deliveries).toMatchObject([{ state: 'delivered', attempts: [{ number: 1, status: 200 }] }]);
    expect(hook.received[0]?.headers['x-service-delivery-id']).toBe(
      hook.received[1]?.headers['x-service-delivery-id'],
    );
    await second.close();
  });
});

test('a manual clock does not run backwards where a process ended while it moved', async () => {
  const state = statePath();
  const first = sandboxAtStart({ state, settleAfter: '5m' });
  await call(first, 'POST', '/airtime/purchase', airtime('a'));
  let crashed: Buffer | undefined;
  first.onActivity((activity) => {
    if (activity.type === 'transaction') crashed = readFileSync(state);
  });
  await first.advance('10m');
  await first.close();
  writeFileSync(state, crashed ?? '');
  const second = createSandbox({ state, clock: 'manual' });
  expect(second.transactions).toMatchObject([{ status: 'success', settledAt: second.now }]);
  await second.close();
});

test('the file is readable by its owner only: it holds keys and secrets', async () => {
  const state = statePath();
  await createSandbox({ state }).close();
  if (process.platform === 'win32') return;
  expect(statSync(state).mode & 0o777).toBe(0o600);
  chmodSync(state, 0o644);
  await createSandbox({ state }).close();
  expect(statSync(state).mode & 0o777).toBe(0o600);
});

test('a subscribed function is gone after a restart, and its deliveries say so until it is subscribed again', async () => {
  const state = statePath();
  const first = sandboxAtStart({ state });
  first.webhooks.subscribe({ handler: () => new Response() });
  await call(first, 'POST', '/airtime/purchase', airtime('a'));
  const second = await restarted(first, { state });
  await second.advance('1s');
  expect(second.deliveries[0]?.attempts[0]?.error).toContain('subscribe it again');
  second.webhooks.subscribe({ handler: () => new Response() });
  await second.advance('1m');
  expect(second.deliveries[0]?.state).toBe('delivered');
  await second.close();
});

describe('a restart continues the file', () => {
  test('what a crash has cut off is taken away', async () => {
    const state = statePath();
    const first = sandboxAtStart({ state });
    await call(first, 'POST', '/airtime/purchase', airtime('a'));
    await first.close();
    appendFileSync(state, '[["transaction","TXN-1",{"cut');
    const second = createSandbox({ state, clock: 'manual' });
    await call(second, 'POST', '/airtime/purchase', airtime('b'));
    const third = await restarted(second, { state });
    expect(third.transactions.map(({ idempotency_key }) => idempotency_key)).toEqual(['a', 'b']);
    expect(third.audit()).toMatchObject({ ok: true, transactions: 2 });
    await third.close();
  });

  test('it is continued as it is, and holds the clock and the seed of the latest start', async () => {
    const state = statePath();
    const first = sandboxAtStart({ state, seed: 'one' });
    await call(first, 'POST', '/airtime/purchase', airtime('a'));
    await first.close();
    const { ino, size } = statSync(state);
    const written = readFileSync(state);
    const second = createSandbox({ state, clock: 'manual', seed: 'two' });
    expect(statSync(state).ino).toBe(ino);
    expect(readFileSync(state).subarray(0, size)).toEqual(written);
    await second.advance('1h');
    const { now } = second;
    const third = await restarted(second, { state });
    expect([third.seed, third.now]).toEqual(['two', now]);
    expect(third.timeline(third.transactions[0]?.reference ?? '')).toHaveLength(2);
    await third.close();
  });

  test('it is compacted at a start when it has grown, and loses nothing by it', async () => {
    const state = statePath();
    const first = sandboxAtStart({ state });
    await call(first, 'POST', '/airtime/purchase', airtime('a'));
    // Each change of a client writes the whole client, of which only the last one counts.
    const grow = (times: number) => {
      for (let change = 0; change < times; change++)
        first.client('client_allowlisted').update({ verified: change % 2 === 0 });
    };
    grow(500);
    const { size } = statSync(state);
    const before = contentsOf(first);
    await first.close();
    const second = createSandbox({ state, clock: 'manual' });
    expect(statSync(state).size).toBeLessThan(size / 10);
    expect(contentsOf(second)).toEqual(before);
    await call(second, 'POST', '/airtime/purchase', airtime('b'));
    await call(second, 'POST', '/airtime/purchase', airtime('c'));
    const third = await restarted(second, { state });
    expect(third.transactions.map(({ idempotency_key }) => idempotency_key)).toEqual(['a', 'b', 'c']);
    expect(third.audit()).toMatchObject({ ok: true });
    await third.close();
  });

  test('a client that a later start adds is kept from then on, with its wallet', async () => {
    const state = statePath();
    const first = createSandbox({ state, clock: 'manual' });
    const clients = [{ clientId: 'shop', balance: 750, secretKey: 'sk_shop_of_its_own' }];
    const second = await restarted(first, { state, clients });
    await call(second, 'POST', '/airtime/purchase', airtime('a'));
    expect(second.wallet('shop').balance).toBe(250);
    const third = await restarted(second, { state });
    expect(third.client('shop').secretKey).toBe('sk_shop_of_its_own');
    expect(third.wallet('shop')).toMatchObject({
      balance: 250,
      ledger: [{ kind: 'funding' }, { kind: 'debit' }],
    });
    expect(third.audit()).toMatchObject({ ok: true, transactions: 1 });
    await third.close();
  });
});

test('where a manual clock was ahead of the real one, what waits is due as long from now, and that is said', async () => {
  const state = statePath();
  const hook = await receiver();
  hook.state.status = 500;
  const first = createSandbox({ state, clock: 'manual', startAt: '2090-01-01T00:00:00Z', settleAfter: '2h' });
  await call(first, 'POST', '/webhooks/subscribe', { url: hook.url });
  const failing = referenceOf(await call(first, 'POST', '/airtime/purchase', airtime('a')));
  await first.settle(failing, 'success');
  await call(first, 'POST', '/airtime/purchase', airtime('b'));
  await first.close();
  const second = createSandbox({ state, settleAfter: '2h' });
  const waits = (due: Date | undefined) => Number(due) - second.now.getTime();
  const { settlesAt } = second.transactions[1] ?? {};
  const { nextAttemptAt } = second.deliveries[0] ?? {};
  expect(waits(settlesAt)).toBeGreaterThan(7_000_000);
  expect(waits(settlesAt)).toBeLessThanOrEqual(7_200_000);
  expect(waits(nextAttemptAt)).toBeLessThanOrEqual(60_000);
  expect(second.notice).toMatch(/was at 2090-01-01T00:00:00.000Z.*1 settlements and 1 retries/);
  await second.close();
  const third = createSandbox({ state, clock: 'manual' });
  expect(third.notice).toBeUndefined();
  await third.close();
});
