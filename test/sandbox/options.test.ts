import { describe, expect, test } from 'vitest';
import { ConfigurationError, createSandbox, type SandboxOptions } from '../../src/sandbox/index.js';
import { airtime, call, sandboxAtStart } from './support.js';

/** What a function threw, which must be a ConfigurationError: its option and message. */
function refusal(work: () => unknown): [string, string] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return [error.option, error.message];
    throw error;
  }
  throw new Error('nothing was refused');
}

const untyped = (value: unknown) => value as never;

describe('createSandbox refuses wrong options by name, with the remedy', () => {
  test.each([
    ['options', 'seven', 'must be an object, such as'],
    [
      'ballance',
      { ballance: 5 },
      'is not an option of the sandbox (did you mean balance?); the options are clients, fixtures, catalogue, balance,',
    ],
    ['balance', { balance: -1 }, 'must be a number of NGN from 0'],
    ['settleAfter', { settleAfter: 'soon' }, "'250ms', '90s', '5m', '6h', '2d'"],
    ['rateLimits', { rateLimits: 60 }, 'must be true, false or an object such as { purchases: 5 }'],
    [
      'rateLimits.pi',
      { rateLimits: { pi: 60 } },
      'is not an option of rateLimits (did you mean ip?); the options are ip, apiKey, client, endpoint',
    ],
    ['rateLimits.ip', { rateLimits: { ip: 0 } }, 'must be a whole number of requests per 60 seconds'],
    ['clock', { clock: 'fake' }, "must be 'real' or 'manual'"],
    ['seed', { seed: {} }, 'must be a string or a finite number'],
    ['webhookTimeout', { webhookTimeout: 0 }, 'must be more than 0 ms'],
    ['webhookTimeout', { webhookTimeout: '30d' }, "at most '24d'"],
    ['settleAfter', { settleAfter: '36501d' }, 'from 0 to 100 years'],
    ['startAt', { startAt: '2026-01-31T09:30:00Z' }, "needs clock: 'manual'"],
    ['startAt', { clock: 'manual', startAt: 'noon' }, 'must be a time from 1970 to 9000'],
    ['references', { references: 'seded' }, "must be 'seeded' or 'unique'"],
    [
      'references',
      { references: 'seeded', state: '/nowhere/state' },
      "cannot be 'seeded' together with state",
    ],
    ['webhookTimeout', { webhookTimeout: '10 minutes' }, 'must be a length of time'],
    ['clients', { clients: [] }, 'must be a list of at least one client'],
    ['clients[0]', { clients: ['shop'] }, 'must be an object, such as'],
    ['clients[0]', { clients: [undefined] }, 'is missing: it must be an object'],
    ['clients[0].clientId', { clients: [{}] }, 'must be a non-empty string'],
    [
      'clients[0].id',
      { clients: [{ id: 'shop' }] },
      'is not an option of the sandbox; the options are clientId,',
    ],
    ['clients[0].balance', { clients: [{ clientId: 'a', balance: -5 }] }, 'must be a number of NGN'],
    ['clients[0].secretKey', { clients: [{ clientId: 'a', secretKey: 'pk_1' }] }, 'begins with sk_'],
    ['clients[0].secretKey', { clients: [{ clientId: 'a', secretKey: 'sk_1 2' }] }, 'without blanks'],
    ['clients[0].publicKey', { clients: [{ clientId: 'a', publicKey: 7 }] }, 'begins with pk_'],
    ['clients[0].verified', { clients: [{ clientId: 'a', verified: 'no' }] }, 'must be true or false'],
    ['clients[0].allowedIps', { clients: [{ clientId: 'a', allowedIps: '10.0.0.1' }] }, 'must be a list'],
    ['clients[1].clientId', { clients: [{ clientId: 'a' }, { clientId: 'a' }] }, 'is taken by another'],
    [
      'clients[1].secretKey',
      {
        clients: [
          { clientId: 'a', secretKey: 'sk_1' },
          { clientId: 'b', secretKey: 'sk_1' },
        ],
      },
      'is taken by another client; give each its own',
    ],
    ['catalogue', { catalogue: [] }, 'must be an object, such as'],
    [
      'catalogue.electricity',
      { catalogue: { electricity: {} } },
      'is not an option of the sandbox; the options are data, tv, edu',
    ],
    ['catalogue.data', { catalogue: { data: [] } }, 'must be an object of biller to list of products'],
    ['catalogue.data.MTN', { catalogue: { data: { MTN: {} } } }, 'must be a list of products'],
    ['catalogue.data.MTN[0]', { catalogue: { data: { MTN: ['1GB'] } } }, 'must be an object, such as'],
    [
      'catalogue.tv.DSTV[0].amount',
      { catalogue: { tv: { DSTV: [{ product_code: 'A', name: 'A', amount: 0 }] } } },
      'must be at least 0.01 NGN',
    ],
  ])('%s', (option, options, message) => {
    const [named, said] = refusal(() => createSandbox(untyped(options)));
    expect(named).toBe(option);
    expect(said).toContain(message);
  });

  test('a refused key is not in the message', () => {
    const [, said] = refusal(() =>
      createSandbox({ clients: [{ clientId: 'a', secretKey: 'live_topsecret' }] }),
    );
    expect(said).not.toContain('topsecret');
  });
});

describe('the arguments of methods are checked too', () => {
  test.each([
    ['fault', undefined, 'must be an object, such as'],
    ['fault', {}, 'does nothing; give at least one of delay, status'],
    ['fault', { operation: 'airtime.purchase', times: 3 }, 'does nothing'],
    ['fault.kind', { kind: 'x' }, 'is not an option of fault'],
    ['fault.operation', { operation: 'airtime.buy', status: 500 }, 'must be one of the calls'],
    ['fault.operation', { operation: [], status: 500 }, 'must be one of the calls'],
    ['fault.recipient', { recipient: 7, status: 500 }, 'must be a non-empty string'],
    ['fault.clientId', { clientId: '', status: 500 }, 'must be a non-empty string'],
    ['fault.times', { times: 0, status: 500 }, "must be a whole number of at least 1, or 'always'"],
    ['fault.when', { when: 'during', status: 500 }, "must be 'before' or 'after'"],
    ['fault.delay', { delay: '3 seconds' }, 'must be a length of time'],
    ['fault.status', { status: 99 }, 'must be an HTTP status from 200 to 599'],
    ['fault.status', { status: 600 }, 'must be an HTTP status from 200 to 599'],
    ['fault.code', { status: 500, code: '' }, 'must be a non-empty string'],
    ['fault.message', { status: 500, message: 5 }, 'must be a string'],
    ['fault.body', { body: 5 }, 'must be a string, or an object or list'],
    ['fault.body', { body: JSON.parse('['.repeat(101) + ']'.repeat(101)) }, 'nested more than 100 levels'],
    [
      'fault.headers.a',
      { headers: { a: 1 } },
      'must be an object of header names and values that HTTP allows',
    ],
    ['fault.retryAfter', { retryAfter: Number.NaN }, 'must be a number of seconds'],
    ['fault.connection', { connection: 'reset' }, "must be 'close'"],
    ['fault.cutBody', { cutBody: -1 }, 'must be true (cut halfway)'],
  ])('faults.add: %s', (option, fault, message) => {
    const [named, said] = refusal(() => sandboxAtStart().faults.add(untyped(fault)));
    expect(named).toBe(option);
    expect(said).toContain(message);
  });

  test('client, wallet, update, fund, revokeKey, corruptDeliveries', () => {
    const sandbox = sandboxAtStart();
    expect(refusal(() => sandbox.client('nobody'))).toEqual([
      'clientId',
      'clientId: is not a client of this sandbox; it has client_default, client_unverified, client_suspended, client_allowlisted, client_empty',
    ]);
    expect(refusal(() => sandbox.wallet('nobody'))[0]).toBe('clientId');
    const client = sandbox.client();
    expect(refusal(() => client.update(untyped({ balance: 5 })))[0]).toBe('conditions.balance');
    expect(refusal(() => client.update(untyped({ verified: 5 })))[0]).toBe('conditions.verified');
    expect(refusal(() => client.fund(-1))[0]).toBe('amount');
    expect(refusal(() => client.revokeKey(untyped('both')))[0]).toBe('kind');
    expect(refusal(() => sandbox.corruptDeliveries(untyped('reordered')))[0]).toBe('how');
    expect(refusal(() => sandbox.corruptDeliveries('duplicate', 0))[0]).toBe('times');
  });

  test.each([
    ['port', { port: -1 }],
    ['port', { port: 65_536 }],
    ['port', { port: '4010' }],
    ['host', { host: '' }],
    ['host', { host: '0.0.0.0' }],
    ['host', { host: '192.168.1.5' }],
    ['allowRemote', { allowRemote: 'yes' }],
    ['hots', { hots: 'localhost' }],
  ])('listen: %s %o', async (option, options) => {
    const failure: unknown = await sandboxAtStart()
      .listen(untyped(options))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure).toMatchObject({ option });
  });

  test('settle and advance', async () => {
    const sandbox = sandboxAtStart({ settleAfter: 'manual' });
    await expect(sandbox.settle('TXN-1', 'success')).rejects.toMatchObject({ option: 'reference' });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const reference = sandbox.transactions[0]?.reference ?? '';
    await expect(sandbox.settle(reference, untyped('pending'))).rejects.toMatchObject({ option: 'outcome' });
    await expect(sandbox.advance(untyped('later'))).rejects.toMatchObject({ option: 'duration' });
    const real = createSandbox();
    await expect(real.advance('1s')).rejects.toMatchObject({
      option: 'clock',
      message: "clock: is real; start the sandbox with --clock manual, or with clock: 'manual' in code",
    });
    await real.close();
  });
});

describe('what options do', () => {
  test('clients: the first is the default one; balances and keys of their own', async () => {
    const sandbox = createSandbox({
      balance: 50,
      clients: [
        { clientId: 'shop', secretKey: 'sk_shop', publicKey: 'pk_shop' },
        { clientId: 'kiosk', balance: 7 },
      ],
    });
    expect(sandbox.credentials).toEqual({ clientId: 'shop', secretKey: 'sk_shop', publicKey: 'pk_shop' });
    expect(sandbox.clients.map(({ clientId }) => clientId)).toEqual(['shop', 'kiosk']);
    expect([sandbox.wallet().balance, sandbox.wallet('kiosk').balance]).toEqual([50, 7]);
    expect(sandbox.client('kiosk')).toMatchObject({ verified: true, suspended: false, allowedIps: [] });
    expect(sandbox.client('kiosk').publicKey).toMatch(/^pk_sandbox_[a-z0-9]{32}$/);
    await sandbox.close();
  });

  test('fixtures: a client for each condition beside the others, only when they are asked for', async () => {
    const idsOf = async (options: SandboxOptions) => {
      const sandbox = createSandbox(options);
      await sandbox.close();
      return sandbox.clients.map(({ clientId }) => clientId);
    };
    expect(await idsOf({})).toEqual(['client_default']);
    const fixtures = ['client_unverified', 'client_suspended', 'client_allowlisted', 'client_empty'];
    expect(await idsOf({ fixtures: true, clients: [{ clientId: 'shop' }] })).toEqual(['shop', ...fixtures]);
  });

  test('catalogue: a family given replaces the built-in one, the others stay', async () => {
    const sandbox = sandboxAtStart({
      catalogue: { data: { Smile: [{ product_code: 'S-1', name: '1GB', amount: 300.5 }] } },
    });
    const own = await call(sandbox, 'GET', '/data/products?biller=SMILE');
    expect(own.body).toEqual({
      status: 'success',
      biller: 'SMILE',
      products: [{ product_code: 'S-1', name: '1GB', amount: 300.5 }],
    });
    expect((await call(sandbox, 'GET', '/data/products?biller=MTN')).status).toBe(422);
    expect((await call(sandbox, 'GET', '/tv/products?biller=GOTV')).status).toBe(200);
  });

  test('PINs look like their biller’s; those of one that is not built in are 12 digits', async () => {
    const sandbox = sandboxAtStart({
      settleAfter: 0,
      catalogue: {
        edu: {
          NABTEB: [{ product_code: 'N', name: 'PIN', amount: 10 }],
          NBAIS: [{ product_code: 'B', name: 'PIN', amount: 10 }],
        },
      },
    });
    for (const [biller, product_code] of [
      ['nabteb', 'N'],
      ['Nbais', 'B'],
    ]) {
      const order = { biller, product_code, recipient: '0123456789', idempotency_key: biller };
      expect((await call(sandbox, 'POST', '/edu/purchase', order)).status).toBe(202);
    }
    await sandbox.advance(0);
    expect(sandbox.transactions.map(({ token }) => token)).toEqual([
      expect.stringMatching(/^Serial No:NBT\d{9}, pin: \d{12}$/),
      expect.stringMatching(/^\d{12}$/),
    ]);
  });

  test('seed: the same one makes the same keys, references, tokens and ids', async () => {
    const run = async (seed: string | number) => {
      const sandbox = sandboxAtStart({ seed });
      const subscription = await call(sandbox, 'POST', '/webhooks/subscribe', {
        url: 'https://shop.example/',
      });
      for (const key of ['a', 'b']) {
        await call(sandbox, 'POST', '/electricity/purchase', {
          biller: 'IKEDC',
          recipient: '01',
          meter_type: 'prepaid',
          amount: 5,
          idempotency_key: key,
        });
      }
      const references = sandbox.transactions.map(({ reference }) => reference);
      // Settled in the other order: a token belongs to its reference.
      for (const reference of references) await sandbox.settle(reference, 'success');
      return {
        seed: sandbox.seed,
        credentials: sandbox.credentials,
        secret: subscription.body,
        references,
        tokens: sandbox.transactions.map(({ token }) => token),
      };
    };
    expect(await run(7)).toEqual(await run('7'));
    expect((await run(7)).references).not.toEqual((await run(8)).references);
  });

  test('without a seed every sandbox is another, and can be made again from its seed', () => {
    const [one, two] = [createSandbox(), createSandbox()];
    expect(one.credentials.secretKey).not.toBe(two.credentials.secretKey);
    expect(createSandbox({ seed: one.seed }).credentials).toEqual(one.credentials);
  });
});
