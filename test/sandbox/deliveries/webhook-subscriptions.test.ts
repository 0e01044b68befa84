import { describe, expect, test } from 'vitest';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { verifyWebhook } from '../../../src/webhooks/index.js';
import { airtime, call, receiver, referenceOf, sandboxAtStart } from '../support.js';

const secret = 'whsec_0123456789abcdef0123456789abcdef';

describe('sandbox.webhooks.subscribe', () => {
  test('delivers to a function, signed with a fixed secret, without a port', async () => {
    const sandbox = sandboxAtStart();
    const seen: string[] = [];
    const handler = async (request: Request) => {
      const body = await request.text();
      const { data } = verifyWebhook({ body, headers: request.headers, secret, now: sandbox.now });
      seen.push(data.reference);
      return new Response();
    };
    expect(sandbox.webhooks.subscribe({ handler, secret })).toMatchObject({ secret, enabled: true });
    const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime('a')));
    await sandbox.advance('1s');
    expect(seen).toEqual([reference]);
    expect(sandbox.deliveries[0]).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
  });

  test('retries a function that throws, responds with an error or does not respond', async () => {
    const sandbox = sandboxAtStart({ webhookTimeout: 20 });
    const ends = [
      () => {
        throw new Error('not ready');
      },
      () => new Response(undefined, { status: 503 }),
      () => new Promise<Response>(() => undefined),
      () => new Response(undefined, { status: 204 }),
    ];
    sandbox.webhooks.subscribe({ handler: () => ends.shift()?.() ?? new Response() });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.advance('32h');
    expect(sandbox.deliveries[0]?.attempts.map(({ status, error }) => status ?? error)).toEqual([
      'not ready',
      503,
      'no response within 20 ms',
      204,
    ]);
  });

  test('takes a url with a fixed secret, for any client', async () => {
    const sandbox = sandboxAtStart();
    const hook = await receiver();
    const clientId = 'client_empty';
    expect(sandbox.webhooks.subscribe({ url: hook.url, secret, clientId })).toEqual({
      url: hook.url,
      secret,
      enabled: true,
    });
    sandbox.client(clientId).fund(1000);
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'), { clientId });
    await sandbox.advance('1s');
    expect(hook.received).toHaveLength(1);
  });

  test.each([
    [{}, /url: or handler is needed/],
    [{ url: 'https://example.com', handler: () => new Response() }, /one of the two/],
    [{ url: 'http://example.com' }, /must be https/],
    [{ handler: 'https://example.com' as never }, /must be a function/],
    [{ handler: () => new Response(), secret: 'whsec_short' }, /at least 16 characters/],
    [{ handler: () => new Response(), secret: 'x' }, /must be whsec_/],
    [{ handler: () => new Response(), clientId: 'nobody' }, /is not a client of this sandbox/],
    [{ handler: () => new Response(), enable: true } as never, /enable/],
  ])('refuses %o', (options, problem) => {
    const sandbox = sandboxAtStart();
    expect(() => sandbox.webhooks.subscribe(options)).toThrow(problem);
    expect(sandbox.client().subscription).toBeUndefined();
  });
});

describe('a subscription to the address that is subscribed already', () => {
  test('keeps its secret, unless another one is given', () => {
    const sandbox = sandboxAtStart();
    const url = 'https://shop.example/webhooks';
    const { secret } = sandbox.webhooks.subscribe({ url });
    expect(sandbox.webhooks.subscribe({ url, enabled: false })).toEqual({ url, secret, enabled: false });
    expect(sandbox.webhooks.subscribe({ url: `${url}/2` }).secret).not.toBe(secret);
    const own = 'whsec_0123456789abcdef';
    expect(sandbox.webhooks.subscribe({ url, secret: own }).secret).toBe(own);
  });

  test('over the service always gets a new one, as documented', async () => {
    const sandbox = sandboxAtStart();
    const url = 'https://shop.example/webhooks';
    const { secret } = sandbox.webhooks.subscribe({ url });
    const reply = await call(sandbox, 'POST', '/webhooks/subscribe', { url });
    expect(reply.body).toMatchObject({ data: { secret: expect.stringMatching(/^whsec_/) } });
    expect(JSON.stringify(reply.body)).not.toContain(secret);
  });
});

describe('a webhook handler', () => {
  const waits = {
    idle: (sandbox: Sandbox) => sandbox.idle(),
    advance: (sandbox: Sandbox) => sandbox.advance('1s'),
    advanceToNext: (sandbox: Sandbox) => sandbox.advanceToNext(),
    runUntilIdle: (sandbox: Sandbox) => sandbox.runUntilIdle(),
  };

  test.each(Object.entries(waits))('does not wait for itself: %s is refused inside', async (name, wait) => {
    const sandbox = sandboxAtStart();
    let refused: unknown;
    sandbox.webhooks.subscribe({
      handler: async () => {
        refused = await wait(sandbox).catch((error: unknown) => error);
        return new Response();
      },
    });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.runUntilIdle();
    expect(refused).toMatchObject({ name: 'ConfigurationError', option: name });
    expect(sandbox.deliveries).toMatchObject([{ state: 'delivered' }]);
  });

  test('may wait for another sandbox, and what it started may wait once it has returned', async () => {
    const [sandbox, other] = [sandboxAtStart(), sandboxAtStart()];
    let later: Promise<void> | undefined;
    sandbox.webhooks.subscribe({
      handler: async () => {
        await other.idle();
        later = new Promise((resolve) => setTimeout(resolve, 0)).then(() => sandbox.idle());
        return new Response();
      },
    });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await sandbox.runUntilIdle();
    await later;
    expect(sandbox.deliveries).toMatchObject([{ state: 'delivered' }]);
  });
});

test('a webhook is sent once, and again after each of the seven delays', async () => {
  const sandbox = sandboxAtStart();
  sandbox.webhooks.subscribe({ handler: () => new Response(undefined, { status: 500 }) });
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  await sandbox.runUntilIdle();
  expect(sandbox.deliveries[0]).toMatchObject({ state: 'failed', nextAttemptAt: undefined });
  expect(sandbox.deliveries[0]?.attempts).toHaveLength(8);
});

describe('a manual clock', () => {
  test.each([
    new Date('2026-01-31T09:30:00Z'),
    Date.parse('2026-01-31T09:30:00Z'),
    '2026-01-31T10:30:00+01:00',
  ])('begins at startAt: %o', async (startAt) => {
    const sandbox = createSandbox({ clock: 'manual', startAt });
    expect(sandbox.now).toEqual(new Date('2026-01-31T09:30:00Z'));
    await sandbox.close();
  });

  test('advances to the next event, and says when it is', async () => {
    const sandbox = sandboxAtStart();
    sandbox.webhooks.subscribe({ handler: () => new Response(undefined, { status: 500 }) });
    expect(sandbox.nextEvent).toBeUndefined();
    expect(await sandbox.advanceToNext()).toBeUndefined();
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    expect(sandbox.nextEvent?.toISOString()).toBe('2026-01-31T09:30:01.000Z');
    expect((await sandbox.advanceToNext())?.toISOString()).toBe('2026-01-31T09:30:01.000Z');
    expect(sandbox.transactions[0]?.status).toBe('success');
    expect((await sandbox.advanceToNext())?.toISOString()).toBe('2026-01-31T09:31:01.000Z');
    expect(sandbox.deliveries[0]?.attempts).toHaveLength(2);
  });

  test('runs until nothing is scheduled', async () => {
    const sandbox = sandboxAtStart();
    sandbox.webhooks.subscribe({ handler: () => new Response(undefined, { status: 500 }) });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const end = await sandbox.runUntilIdle();
    expect(end.toISOString()).toBe('2026-02-01T17:21:01.000Z');
    expect(sandbox.nextEvent).toBeUndefined();
    expect((await sandbox.runUntilIdle()).getTime()).toBe(end.getTime());
  });

  test('gives up on work without end', async () => {
    const sandbox = sandboxAtStart({ balance: 1e9, settleAfter: '1d' });
    let n = 0;
    sandbox.webhooks.subscribe({
      handler: async () => {
        await call(sandbox, 'POST', '/airtime/purchase', airtime(`again-${n++}`, { amount: 1 }));
        return new Response();
      },
    });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('first'));
    await expect(sandbox.runUntilIdle()).rejects.toThrow('schedules work without end');
  });

  test('a real clock cannot be moved', async () => {
    const sandbox = createSandbox();
    await expect(sandbox.advanceToNext()).rejects.toThrow('clock: is real');
    await expect(sandbox.runUntilIdle()).rejects.toThrow('clock: is real');
    await sandbox.close();
  });
});

describe('references', () => {
  const referencesOf = async (options: object) => {
    const sandbox = sandboxAtStart({ ...options, seed: 'one' });
    sandbox.webhooks.subscribe({ handler: () => new Response() });
    for (const key of ['a', 'b']) await call(sandbox, 'POST', '/airtime/purchase', airtime(key));
    await sandbox.advance('1s');
    const { secretKey } = sandbox.credentials;
    return {
      secretKey,
      ids: [...sandbox.transactions, ...sandbox.deliveries].map((one) =>
        'id' in one ? one.id : one.reference,
      ),
    };
  };

  test('and delivery ids are new in every run where they are unique, while keys stay', async () => {
    const [first, second] = [
      await referencesOf({ references: 'unique' }),
      await referencesOf({ references: 'unique' }),
    ];
    expect(first.secretKey).toBe(second.secretKey);
    expect(new Set([...first.ids, ...second.ids]).size).toBe(8);
    for (const id of first.ids)
      expect(id).toMatch(
        /^TXN-[0-9A-Z]{16}$|^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
      );
  });

  test('repeat with the seed otherwise', async () => {
    expect(await referencesOf({})).toEqual(await referencesOf({}));
  });
});
