import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { brand } from '../../src/errors/base.js';
import * as client from '../../src/index.js';
import {
  ApiError,
  AuthenticationError,
  BillPayError,
  ConfigurationError,
  ConnectionError,
  IdempotencyKeyReusedError,
  isBillPayError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from '../../src/index.js';
import * as orders from '../../src/orders/errors.js';
import * as webhooks from '../../src/webhooks/errors.js';

const ours = { ...client, ...orders, ...webhooks };

/** Every error class of a copy of the package, by its exported name. */
const classesOf = (copy: object): Map<string, new (...args: never[]) => Error> =>
  new Map(
    Object.entries(copy).filter(
      ([, value]) =>
        typeof value === 'function' &&
        (value === Reflect.get(copy, 'BillPayError') || value.prototype instanceof Error),
    ),
  );

/** One of each class, whatever its constructor takes. */
function oneOf(name: string, Class: new (...args: never[]) => Error): Error {
  const make = (...args: unknown[]): Error => Reflect.construct(Class, args);
  if (name === 'ConfigurationError') return make('timeout', 'is wrong');
  if (name === 'WebhookVerificationError') return make('missing_header', 'is missing');
  return make('what happened', { purchase: { reference: 'TXN-1' } });
}

let theirs: typeof ours;
beforeAll(async () => {
  vi.resetModules();
  theirs = {
    ...(await import('../../src/index.js')),
    ...(await import('../../src/orders/errors.js')),
    ...(await import('../../src/webhooks/errors.js')),
  };
});

const names = [...classesOf(ours).keys()];

it('knows all 32 classes', () => {
  expect(names).toHaveLength(32);
  expect(names.every((name) => name.endsWith('Error'))).toBe(true);
});

describe.each(names)('%s', (name) => {
  const Mine = classesOf(ours).get(name)!;

  it('is named after its class, and begins its stack with that', () => {
    const error = oneOf(name, Mine);
    expect(error.name).toBe(name);
    expect(error.constructor.name).toBe(name);
    expect(String(error)).toBe(`${name}: ${error.message}`);
    expect(error.stack?.startsWith(`${name}: ${error.message}\n`)).toBe(true);
    expect(Object.keys(error)).not.toContain('name');
  });

  it('is an instance of itself, its parents and Error, and of nothing else', () => {
    const error = oneOf(name, Mine);
    const parents = names.filter((other) => error instanceof classesOf(ours).get(other)!);
    const api = parents.includes('ApiError');
    expect(parents.toSorted()).toEqual(
      [...new Set(['BillPayError', ...(api ? ['ApiError'] : []), name])].toSorted(),
    );
    expect(error).toBeInstanceOf(Error);
    expect(isBillPayError(error)).toBe(true);
  });

  it('is an instance across two copies of the package, both ways', () => {
    const Other = classesOf(theirs).get(name)!;
    expect(Other).not.toBe(Mine);
    const [mine, other] = [oneOf(name, Mine), oneOf(name, Other)];
    expect(other instanceof Mine).toBe(true);
    expect(mine instanceof Other).toBe(true);
    expect(isBillPayError(other)).toBe(true);
    expect(theirs.isBillPayError(mine)).toBe(true);
    for (const third of names) {
      expect(other instanceof classesOf(ours).get(third)!).toBe(mine instanceof classesOf(ours).get(third)!);
    }
  });

  it('defaults to no attempts, mayHaveCharged false and no cause', () => {
    const error = oneOf(name, Mine);
    expect(error).toMatchObject({ attempts: 0, mayHaveCharged: false });
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });
});

describe('subclasses of the caller', () => {
  class ShopError extends ApiError {
    readonly shop = 'one';
  }
  class OtherShopError extends ApiError {}

  it('are distinguished from their parents and from each other', () => {
    const mine = new ShopError('no', { status: 418, code: 'TEAPOT' });
    expect(mine).toBeInstanceOf(ShopError);
    expect(mine).toBeInstanceOf(ApiError);
    expect(mine).toBeInstanceOf(BillPayError);
    expect(mine).toMatchObject({ status: 418, code: 'TEAPOT', shop: 'one' });
    expect(isBillPayError(mine)).toBe(true);
    expect(mine).not.toBeInstanceOf(OtherShopError);
    expect(mine).not.toBeInstanceOf(ServerError);
    expect(new ApiError('no')).not.toBeInstanceOf(ShopError);
    expect(null).not.toBeInstanceOf(ShopError);
  });

  it('are instances of their parents in the other copy', () => {
    expect(new ShopError('no')).toBeInstanceOf(theirs.ApiError);
    expect(new ShopError('no')).not.toBeInstanceOf(theirs.ServerError);
  });
});

describe('a class that a minifier has renamed', () => {
  class a extends ApiError {
    static override readonly [brand]: string = 'ShopError';
  }

  it('has its original name in its stack', () => {
    const error = new a('closed');
    expect(error.name).toBe('ShopError');
    expect(error.stack?.startsWith('ShopError: closed\n')).toBe(true);
  });
});

describe('isBillPayError', () => {
  const thrower = (trap: string) =>
    new Proxy(new Error('inner'), {
      [trap]: () => {
        throw new Error(`${trap} must not get out`);
      },
    });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const unreadable = Object.create(Error.prototype, {
    constructor: {
      get: () => {
        throw new Error('must not get out');
      },
    },
  });
  const descendant = Object.create(unreadable);

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'ServerError'],
    ['a number', 0],
    ['a symbol', Symbol('billpay.error')],
    ['an object', {}],
    ['an object without a prototype', Object.create(null)],
    ['a function', () => {}],
    ['one of the classes', ServerError],
    ['a prototype', Object.prototype],
    ['an error', new Error('plain')],
    ['a TypeError', new TypeError('fetch failed')],
    ['a DOMException', new DOMException('aborted', 'AbortError')],
    ['an error of another realm', runInNewContext('new Error("elsewhere")')],
    ['an error that looks alike', Object.assign(new Error('x'), { name: 'BillPayError', code: 'TIMEOUT' })],
    ['an object that copies one', { ...new ServerError('x'), name: 'ServerError' }],
    ['an error whose constructor cannot be read', unreadable],
    ['an object that inherits from it', descendant],
    ['an error without a constructor', Object.assign(new Error('x'), { constructor: undefined })],
    ['an object that inherits from one that names a class', Object.create({ constructor: BillPayError })],
    ['a proxy that throws on getPrototypeOf', thrower('getPrototypeOf')],
    ['a proxy that throws on get', thrower('get')],
    ['a proxy that throws on has', thrower('has')],
    ['a revoked proxy', revoked.proxy],
  ])('is false for %s, and does not throw', (_, value) => {
    expect(isBillPayError(value)).toBe(false);
    expect(value instanceof ApiError).toBe(false);
  });

  it('is true for an object whose prototype hides its constructor', () => {
    const link = Object.create(ServerError.prototype, { constructor: { value: undefined } });
    expect(isBillPayError(Object.create(link))).toBe(true);
    expect(Object.create(link) instanceof ServerError).toBe(true);
  });

  it('is true through a proxy', () => {
    expect(isBillPayError(new Proxy(new ServerError('x'), {}))).toBe(true);
  });
});

describe('printing an error', () => {
  it('JSON contains the fields that are set and omits the others', () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const error = new ConnectionError('no answer', {
      operation: 'airtime.purchase',
      attempts: 2,
      idempotencyKey: 'order-77',
      mayHaveCharged: true,
      cause,
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ConnectionError',
      message: 'no answer',
      code: 'CONNECTION_FAILED',
      operation: 'airtime.purchase',
      attempts: 2,
      idempotencyKey: 'order-77',
      mayHaveCharged: true,
      cause: { name: 'Error', message: 'reset', code: 'ECONNRESET' },
    });
    expect(JSON.parse(JSON.stringify(new ApiError('x', { cause: 'text' })))).not.toHaveProperty('status');
  });

  it('JSON contains the response', () => {
    const headers = new Headers({ 'X-Request-Id': 'r-9' });
    const error = new RateLimitError('slow', {
      status: 429,
      code: 'RATE_LIMITED',
      body: { message: 'slow down' },
      headers,
      retryAfterSeconds: 3,
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'RateLimitError',
      message: 'slow',
      code: 'RATE_LIMITED',
      status: 429,
      attempts: 0,
      mayHaveCharged: false,
      retryAfterSeconds: 3,
      body: { message: 'slow down' },
      headers: { 'x-request-id': 'r-9' },
    });
    expect(error.headers).toBe(headers);
  });

  it('neither form contains fields that are not set', () => {
    const error = new ApiError('x');
    expect(Object.keys(error.toJSON())).toEqual(['name', 'message', 'attempts', 'mayHaveCharged']);
    expect(inspect(error)).not.toMatch(/undefined|cause|body|headers/);
  });

  it('both contain the cause: an error of this package as it prints itself, any other value as it is', () => {
    const inner = new ServerError('inner', { status: 502, body: { token: '4821', note: 'down' } });
    const outer = new TimeoutError('gave up', { cause: inner });
    expect(JSON.parse(JSON.stringify(outer)).cause).toEqual(JSON.parse(JSON.stringify(inner)));
    expect(JSON.parse(JSON.stringify(outer)).cause).toMatchObject({
      body: { token: '[redacted]', note: 'down' },
    });
    expect(inspect(outer, { depth: 9 })).toMatch(/cause: ServerError: inner.*note: 'down'/s);

    const left = new ApiError('x', { cause: 'the shop closed' });
    expect(JSON.parse(JSON.stringify(left)).cause).toBe('the shop closed');
    expect(inspect(left)).toContain("cause: 'the shop closed'");
  });

  it('works without a stack and without captureStackTrace', () => {
    const { captureStackTrace } = Error;
    Reflect.deleteProperty(Error, 'captureStackTrace');
    try {
      const error = new ConfigurationError('timeout', 'is wrong');
      expect(error).toMatchObject({ name: 'ConfigurationError', option: 'timeout' });
      Reflect.deleteProperty(error, 'stack');
      expect(inspect(error)).toMatch(/^ConfigurationError: timeout: is wrong \{/);
    } finally {
      Error.captureStackTrace = captureStackTrace;
    }
  });

  it('inspection works where no inspect function is passed, as in older Deno and Bun', () => {
    const error = new ConfigurationError('timeout', 'is wrong');
    const inspected = String(Reflect.get(error, Symbol.for('nodejs.util.inspect.custom')).call(error, 2, {}));
    expect(inspected.startsWith(`${error.stack} {`)).toBe(true);
    expect(JSON.parse(inspected.slice(error.stack?.length))).toEqual({
      code: 'CONFIGURATION',
      attempts: 0,
      mayHaveCharged: false,
      option: 'timeout',
    });
  });
});

describe('properties that are not enumerable', () => {
  it('can be replaced and deleted', () => {
    const error = new ApiError('x', { body: { token: '4821' } });
    Object.assign(error, { name: 'ShopError', body: 'gone' });
    expect(error).toMatchObject({ name: 'ShopError', body: 'gone' });
    expect(Object.keys(error)).not.toContain('body');
    expect(Reflect.deleteProperty(error, 'body')).toBe(true);
    expect(error.body).toBeUndefined();
  });
});

describe('a caught error', () => {
  /** As a caller writes it: the compiler narrows each branch, and the test shows that the right branch runs. */
  const remedy = (caught: unknown): string => {
    if (!isBillPayError(caught)) return 'not ours';
    switch (caught.code) {
      case 'INSUFFICIENT_BALANCE':
        return `fund: ${caught.status}`;
      case 'VALIDATION_FAILED':
        return `fields: ${Object.keys(caught.errors)}`;
      case 'RATE_LIMITED':
        return `after ${caught.retryAfterSeconds}`;
      case 'IDEMPOTENCY_KEY_REUSED':
        return `older ${caught.purchase.reference}`;
      case 'TIMEOUT':
        return `last seen ${caught.transaction?.transaction_status}`;
      case 'CONFIGURATION':
        return `option ${caught.option}`;
      case 'METHOD_NOT_ALLOWED':
        return `allowed ${caught.allow}`;
      default:
        return `other ${caught.name}`;
    }
  };

  it('is recognised by its code', () => {
    const purchase = {
      reference: 'TXN-1',
      status: 'pending' as const,
      idempotency_key: 'k',
      recipient: '0803',
      biller: 'MTN',
      amount: 1,
      channel: 'API_GATEWAY',
      currency: 'NGN',
      created_at: '',
    };
    expect(
      [
        new ours.InsufficientBalanceError('x', { status: 402, code: 'INSUFFICIENT_BALANCE' }),
        new ValidationError('x', { errors: { amount: 'no' } }),
        new RateLimitError('x', { code: 'RATE_LIMITED', retryAfterSeconds: 3 }),
        new IdempotencyKeyReusedError('x', { purchase }),
        new TimeoutError('x'),
        new ConfigurationError('timeout', 'x'),
        new ours.MethodNotAllowedError('x', {
          code: 'METHOD_NOT_ALLOWED',
          headers: new Headers({ Allow: 'GET' }),
        }),
        new ours.AlreadyHandledError(),
        new AuthenticationError('x', { code: 'UNAUTHORIZED' }),
        new ApiError('x', { code: 'constructor' }),
        new Error('x'),
      ].map(remedy),
    ).toEqual([
      'fund: 402',
      'fields: amount',
      'after 3',
      'older TXN-1',
      'last seen undefined',
      'option timeout',
      'allowed GET',
      'other AlreadyHandledError',
      'other AuthenticationError',
      'other ApiError',
      'not ours',
    ]);
  });
});
