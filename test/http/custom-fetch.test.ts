import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type BillPayOptions, ConfigurationError } from '../../src/index.js';
import { clientAt } from '../support/script.js';
import { acceptance, order } from '../support/socket-faults.js';
import { freePort, leavingNothing } from '../support/sockets.js';
import { rejectionOf } from '../support/wire.js';

const runtimeFetch = globalThis.fetch;

afterEach(() => {
  vi.unstubAllGlobals();
});

const coded = (code: string, fields: object = {}) => Object.assign(new Error(code), { code, ...fields });

const connectFailures: readonly [string, () => unknown][] = [
  [
    'ECONNREFUSED',
    () => new TypeError('fetch failed', { cause: coded('ECONNREFUSED', { syscall: 'connect' }) }),
  ],
  ['a certificate', () => coded('CERT_HAS_EXPIRED')],
];

describe("a connect failure that a caller's fetch throws proves nothing, since it was debited before", () => {
  it.each(connectFailures)(
    '%s, from a given fetch or from one that has replaced the global one',
    (_, failure) =>
      leavingNothing(async (net) => {
        const server = await net.http((_request, response) => response.writeHead(202).end(acceptance));
        const sendAndFail = async (...given: Parameters<typeof globalThis.fetch>) => {
          await (await runtimeFetch(...given)).text();
          throw failure();
        };
        vi.stubGlobal('fetch', sendAndFail);
        for (const options of [{ fetch: sendAndFail }, {}]) {
          const error = await rejectionOf(clientAt(server.baseUrl, options).airtime.purchase(order));
          expect(error).toMatchObject({ name: 'ConnectionError', mayHaveCharged: true });
        }
        expect(server.requests).toHaveLength(2);
      }),
  );

  it('of a wrapper with a retry of its own', () =>
    leavingNothing(async (net) => {
      const server = await net.http((request) => request.socket.destroy());
      const dead = `http://127.0.0.1:${await freePort()}/`;
      const retrying: typeof globalThis.fetch = (url, init) =>
        runtimeFetch(url, init).catch(() => runtimeFetch(dead, init));
      const error = await rejectionOf(clientAt(server.baseUrl, { fetch: retrying }).airtime.purchase(order));
      expect(error).toMatchObject({ name: 'ConnectionError', mayHaveCharged: true });
    }));
});

it("of the runtime's own fetch it proves that nothing was sent", () =>
  leavingNothing(async () => {
    const error = await rejectionOf(
      clientAt(`http://127.0.0.1:${await freePort()}/api/v1`).airtime.purchase(order),
    );
    expect(error).toMatchObject({ name: 'ConnectionError', mayHaveCharged: false });
  }));

describe('what is no Response leaves a purchase in doubt', () => {
  const like = (fields: object) => ({
    status: 402,
    statusText: '',
    headers: new Headers(),
    body: null,
    ...fields,
  });
  const isDoubtful = async (response: unknown) => {
    const fetch = (async () => response) as typeof globalThis.fetch;
    const call = clientAt('https://service.test/api/v1', { fetch }).airtime.purchase(order);
    expect(await rejectionOf(call)).toMatchObject({
      name: 'ConnectionError',
      mayHaveCharged: true,
      attempts: 1,
      message: expect.stringContaining('fetch resolved to something that is not a Response'),
    });
  };

  it.each([
    ['a status of NaN', { status: Number.NaN }],
    ['a status as text', { status: '402' }],
    ['a status with a fraction', { status: 402.5 }],
    ['headers that cannot be read', { headers: {} }],
    ['no headers', { headers: undefined }],
  ])('%s', (_, fields) => isDoubtful(like(fields)));

  it('or anything else', () =>
    fc.assert(fc.asyncProperty(fc.anything({ withNullPrototype: true }), isDoubtful)));
});

describe('an error whose parts cannot be read settles the call, in doubt', () => {
  const bad = () => {
    throw new Error('a getter');
  };
  const throwing = (name: string) => Object.defineProperty(new Error('outer'), name, { get: bad });
  const errors: readonly [string, () => unknown][] = [
    ...['code', 'message', 'name', 'stack', 'cause', 'errors', 'syscall'].map(
      (name): [string, () => unknown] => [name, () => throwing(name)],
    ),
    ['the code of its cause', () => new TypeError('fetch failed', { cause: throwing('code') })],
    [
      'everything',
      () => new Proxy(new Error('x'), { get: bad, has: bad, getPrototypeOf: bad, ownKeys: bad }),
    ],
    ['its text', () => ({ toString: bad, [Symbol.toPrimitive]: bad })],
  ];

  it.each(errors)('%s, thrown by a fetch or as the reason of an abort', async (_, make) => {
    const controller = new AbortController();
    const failing = async () => Promise.reject(make());
    const aborting = () => {
      controller.abort(make());
      return new Promise<never>(() => {});
    };
    for (const [fetch, name] of [
      [failing, 'ConnectionError'],
      [aborting, 'AbortError'],
    ] as const) {
      const billpay = clientAt('https://service.test/api/v1', { fetch });
      const error = await rejectionOf(billpay.airtime.purchase(order, { signal: controller.signal }));
      expect(error).toMatchObject({ name, mayHaveCharged: true, attempts: 1 });
    }
  });
});

describe('a signal whose reason throws ends the purchase in an error of this package', () => {
  const unreadable = () => {
    const controller = new AbortController();
    Object.defineProperty(controller.signal, 'reason', {
      get: () => {
        throw new Error('a getter');
      },
    });
    return controller;
  };

  it.each([
    ['before it was sent', 0, false],
    ['after it was sent', 1, true],
  ])('%s', async (_, sendsBefore, mayHaveCharged) => {
    const controller = unreadable();
    if (sendsBefore === 0) controller.abort();
    const fetch = async () => {
      controller.abort();
      return new Promise<never>(() => {});
    };
    const billpay = clientAt('https://service.test/api/v1', { fetch });
    const error = await rejectionOf(billpay.airtime.purchase(order, { signal: controller.signal }));
    const expected = { name: 'AbortError', mayHaveCharged, idempotencyKey: 'order-1', attempts: sendsBefore };
    expect(error).toMatchObject(expected);
  });
});

describe('an error that a transport throws at every call is an error of each call', () => {
  const remembered = Object.freeze(new ConfigurationError('proxy', 'no proxy: is configured'));
  const observers: readonly BillPayOptions[] = [
    {},
    { onCall: () => {} },
    { aroundCall: (_, next) => next() },
  ];

  it.each(observers)('with the observers %o', async (options) => {
    const transport = async () => Promise.reject(remembered);
    const billpay = clientAt('https://service.test/api/v1', { transport, ...options });
    for (const idempotency_key of ['order-1', 'order-2']) {
      const error = await rejectionOf(billpay.airtime.purchase({ ...order, idempotency_key }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({
        message: 'proxy: no proxy: is configured',
        option: 'proxy',
        idempotencyKey: idempotency_key,
        mayHaveCharged: false,
        attempts: 0,
        stack: remembered.stack,
      });
    }
    expect(remembered.idempotencyKey).toBeUndefined();
  });
});
