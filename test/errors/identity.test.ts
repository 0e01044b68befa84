import { inspect } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as client from '../../src/index.js';
import {
  ApiError,
  BillPayError,
  ConfigurationError,
  isBillPayError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
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

  it('is an instance across two copies of the package, both ways', () => {
    const Other = classesOf(theirs).get(name)!;
    expect(Other).not.toBe(Mine);
    const [mine, other] = [oneOf(name, Mine), oneOf(name, Other)];
    expect(other instanceof Mine).toBe(true);
    expect(mine instanceof Other).toBe(true);
    expect(isBillPayError(other)).toBe(true);
    expect(theirs.isBillPayError(mine)).toBe(true);
    // Of itself, its parents and nothing else.
    const family = new Set(['BillPayError', ...(mine instanceof ApiError ? ['ApiError'] : []), name]);
    for (const third of names) {
      const Third = classesOf(ours).get(third)!;
      expect([third, mine instanceof Third, other instanceof Third]).toEqual([
        third,
        family.has(third),
        family.has(third),
      ]);
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
    static override readonly billpayName: string = 'ShopError';
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
    ['text', 'ServerError'],
    ['a symbol', Symbol('billpay.error')],
    ['an object without a prototype', Object.create(null)],
    ['one of the classes', ServerError],
    ['a DOMException', new DOMException('aborted', 'AbortError')],
    ['an error that looks alike', Object.assign(new Error('x'), { name: 'BillPayError', code: 'TIMEOUT' })],
    ['an object that copies one', { ...new ServerError('x'), name: 'ServerError' }],
    ['an error whose constructor cannot be read', unreadable],
    ['an object that inherits from it', descendant],
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
});

describe('printing an error', () => {
  it('shows name, message, status, code, operation, attempts, key and mayHaveCharged, and nothing else', () => {
    const fields = {
      operation: 'airtime.purchase',
      attempts: 2,
      idempotencyKey: 'order-77',
      mayHaveCharged: true,
      status: 429,
      code: 'RATE_LIMITED',
    } as const;
    const hidden = {
      body: { message: 'slow down' },
      headers: new Headers({ 'X-Request-Id': 'r-9' }),
      cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    };
    const error = new RateLimitError('slow', { ...fields, ...hidden, retryAfterSeconds: 3 });
    expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'RateLimitError', message: 'slow', ...fields });
    expect(inspect(error)).not.toMatch(/slow down|r-9|ECONNRESET|retryAfterSeconds/);
    expect(error).toMatchObject({ ...hidden, retryAfterSeconds: 3 });
  });

  it('shows no purchase and no transaction', () => {
    const transaction = { reference: 'TXN-1', token: '4821' };
    const purchase = { reference: 'TXN-1', idempotency_key: 'order-1' };
    for (const error of [
      new TimeoutError('gave up', { transaction: transaction as never }),
      new UnexpectedResponseError('cut off', { purchase }),
    ]) {
      expect(`${inspect(error, { depth: 9 })}${JSON.stringify(error)}`).not.toContain('TXN-1');
    }
  });

  it('shows no code that does not look like one, which programs can read', () => {
    const error = new ApiError('x', { status: 418, code: 'sk_live_abc' });
    expect(error.code).toBe('sk_live_abc');
    expect(`${inspect(error)}${JSON.stringify({ ...error })}`).not.toContain('sk_live_abc');
  });

  it('leaves out what is not set', () => {
    const error = new ApiError('x');
    expect(Object.keys(error.toJSON())).toEqual(['name', 'message', 'attempts', 'mayHaveCharged']);
    expect(inspect(error)).not.toMatch(/undefined|cause|body|headers/);
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
    });
  });
});
