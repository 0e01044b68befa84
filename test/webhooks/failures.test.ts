import { afterEach, describe, expect, it, vi } from 'vitest';
import { isBillPayError, nextStep } from '../../src/index.js';
import {
  type DedupeStore,
  memoryDedupe,
  RetryLaterError,
  type WebhookHandlerOptions,
} from '../../src/webhooks/index.js';
import { bodyOf, delivery, receiver, secret } from './deliveries.js';

afterEach(() => {
  vi.useRealTimers();
});

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** A receiver with one handler, whose lines are kept with their fields. */
function receiverOf(handle: () => unknown, options: Partial<WebhookHandlerOptions> = {}) {
  const lines: Line[] = [];
  const keep = (level: string) => (message: string, fields: object) =>
    void lines.push({ level, message, fields: { ...fields } });
  const logger = { info: keep('info'), warn: keep('warn'), error: keep('error') };
  const { handler, errors } = receiver({ logger, on: { 'transaction.completed': handle }, ...options });
  const deliver = async (request = delivery()) => (await handler(request)).status;
  return { deliver, lines, errors };
}

const throws = (error: unknown) => () => {
  throw error;
};

function bookTheSale(): never {
  throw new TypeError('the order has no customer');
}

describe("the log line of a handler's error", () => {
  it('has the stack, which shows where the handler threw', async () => {
    const { deliver, lines } = receiverOf(bookTheSale);
    expect(await deliver()).toBe(500);
    expect(lines).toStrictEqual([
      {
        level: 'error',
        message: 'billpay webhooks: TypeError: the order has no customer',
        fields: {
          stage: 'handle',
          event: 'transaction.completed',
          reference: 'TXN-1',
          stack: expect.stringMatching(
            /^TypeError: the order has no customer\n +at .*bookTheSale.*failures\.test\.ts/,
          ),
        },
      },
    ]);
  });

  it('has the stacks of the causes', async () => {
    const cause = new Error('connect ECONNREFUSED', { cause: 'a text, which has no stack' });
    const { deliver, lines } = receiverOf(throws(new Error('insert failed', { cause })));
    await deliver();
    expect(lines[0]?.fields['stack']).toMatch(
      /^Error: insert failed\n +at [\s\S]*\ncaused by: Error: connect ECONNREFUSED\n +at /,
    );
    expect(String(lines[0]?.fields['stack']).match(/caused by/g)).toHaveLength(1);
  });

  it('shows what has no stack as text', async () => {
    for (const [value, text] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [{ code: 7 }, '[object Object]'],
    ]) {
      const { deliver, lines } = receiverOf(throws(value));
      expect(await deliver()).toBe(500);
      expect(lines).toMatchObject([{ message: `billpay webhooks: ${text}` }]);
      expect(lines[0]?.fields).not.toHaveProperty('stack');
    }
  });

  it('has the stack of a store that failed', async () => {
    const dedupe: DedupeStore = {
      ...memoryDedupe(),
      begin: async () => throws(new Error('redis is down'))(),
    };
    const { deliver, lines } = receiverOf(() => undefined, { dedupe });
    expect(await deliver()).toBe(503);
    expect(lines).toMatchObject([
      {
        level: 'error',
        fields: { stage: 'dedupe', stack: expect.stringContaining('Error: redis is down\n') },
      },
    ]);
  });
});

describe('the log line of an error that quotes secrets', () => {
  const other = 'whsec_Bn3Mq9Xc5Wv7Lk2Jh4Gf';
  /** Tokens as they arrive, with the parts of each that an error quotes. */
  const tokens: [unknown, string[]][] = [
    ['03600873271267716521', ['03600873271267716521']],
    ['48210937', ['48210937']],
    ['QZ7H-11KD', ['QZ7H-11KD']],
    ['1234.5678.9012', ['1234.5678.9012']],
    ['ab12', ['ab12']],
    ['PIN 4821', ['4821']],
    [48210937, ['48210937']],
    [
      ['48210937', 59310442],
      ['48210937', '59310442'],
    ],
    [{ serial: 'WRN182135587', pins: [{ value: 59310442 }] }, ['WRN182135587', '59310442']],
  ];
  const quotes: [string, (text: string) => unknown][] = [
    ['message', (text) => new Error(`insert failed: ${text}`)],
    ['cause', (text) => new Error('insert failed', { cause: new Error(text) })],
    ['name', (text) => Object.assign(new Error('insert failed'), { name: text })],
    ['stack', (text) => Object.assign(new Error('insert failed'), { stack: text })],
    ['text', (text) => `insert failed: ${text}`],
    ['request for another delivery', (text) => new RetryLaterError(text)],
  ];

  it.each(quotes)('in its %s has neither the token of the event nor a secret', async (_, make) => {
    for (const [token, parts] of tokens) {
      const quoting = throws(make(`(${parts}, TXN-1, ${encodeURIComponent(secret)}, ${other.slice(6)})`));
      const { deliver, lines } = receiverOf(quoting, { secret: [secret, other] });
      const body = bodyOf('TXN-1').replace('"03600873271267716521"', JSON.stringify(token));
      expect(await deliver(delivery({ body }))).toBeGreaterThanOrEqual(500);
      expect(lines).toHaveLength(1);
      const line = JSON.stringify(lines);
      for (const secretText of [...parts, secret.slice(6), other.slice(6)]) {
        expect(line).not.toContain(secretText);
      }
      expect(line).toContain('[redacted]');
    }
  });

  it('has no other field of the event whose name says that it is secret', async () => {
    const { handler, logger } = receiver({
      onUnknown: throws(new Error('cannot store 4821 and WRN182135587')),
    });
    const body = '{"event":"pin.sent","data":{"reference":"T","pin":4821,"serial_no":"WRN182135587"}}';
    await handler(delivery({ body, event: 'pin.sent' }));
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toContain('cannot store [redacted] and [redacted]');
  });
});

describe('an error that cannot be read', () => {
  const fail = () => {
    throw new Error('a getter');
  };
  const throwing = (name: string) => Object.defineProperty(new Error('outer'), name, { get: fail });
  const traps = { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail, getOwnPropertyDescriptor: fail };
  const errors: [string, () => unknown][] = [
    ['whose message throws', () => throwing('message')],
    ['whose stack throws', () => throwing('stack')],
    ['whose cause cannot be read', () => new Error('outer', { cause: throwing('stack') })],
    ['that is a proxy whose traps throw', () => new Proxy(new Error('x'), traps)],
  ];
  it.each(errors)('%s: 500 from a handler, 503 from a store, with a log line each', async (_, make) => {
    const error = make();
    const thrower = async () => Promise.reject(error);
    const { deliver, lines, errors } = receiverOf(thrower);
    expect(await deliver()).toBe(500);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message).toMatch(/^billpay webhooks: (Error: outer|an error that cannot be read)$/);
    expect(errors[0] === error).toBe(true);

    const dedupe = { begin: thrower, done: thrower, release: thrower };
    const other = receiverOf(() => undefined, { dedupe });
    expect(await other.deliver()).toBe(503);
    expect(other.lines).toHaveLength(1);
  });
});

describe('RetryLaterError', () => {
  const notStored = () => new RetryLaterError('no order has the reference TXN-1 yet');

  it('is a 503 response and a line at info level, and the next delivery is handled', async () => {
    let runs = 0;
    const { deliver, lines, errors } = receiverOf(async () => {
      runs += 1;
      if (runs === 1) throw notStored();
    });
    expect(await deliver()).toBe(503);
    expect(await deliver()).toBe(200);
    expect(await deliver()).toBe(200);
    expect(runs).toBe(2);
    expect(errors).toEqual([]);
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'billpay webhooks: RetryLaterError: no order has the reference TXN-1 yet',
        fields: { stage: 'handle', event: 'transaction.completed', reference: 'TXN-1' },
      },
    ]);
  });

  it('works when the handler throws it after the timeout', async () => {
    vi.useFakeTimers();
    let runs = 0;
    const { deliver, lines } = receiverOf(
      async () => {
        runs += 1;
        await new Promise((resolve) => setTimeout(resolve, 60));
        throw notStored();
      },
      { timeout: 50 },
    );
    const first = deliver();
    await vi.advanceTimersByTimeAsync(60);
    expect(await first).toBe(503);
    const second = deliver();
    await vi.advanceTimersByTimeAsync(60);
    expect(await second).toBe(503);
    expect(runs).toBe(2);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info', 'warn', 'info']);
  });

  it('has a code, a default message and its cause', () => {
    const cause = new Error('no row');
    const error = new RetryLaterError(undefined, { cause });
    expect(error).toMatchObject({ name: 'RetryLaterError', code: 'RETRY_LATER', mayHaveCharged: false });
    expect(error.message).toBe('the event cannot be handled yet and must be delivered again');
    expect(error.cause).toBe(cause);
    expect(isBillPayError(error) && nextStep(error).action).toBe('retry');
  });
});

describe('now', () => {
  const then = new Date('2024-03-01T12:00:00Z');
  const sentThen = () => delivery({ timestamp: then });
  const statusAt = async (now: () => Date | number) => {
    const { handler, logger } = receiver({ now });
    return [(await handler(sentThen())).status, logger.lines.join()] as const;
  };

  it('is the time against which the age of a delivery is checked, as a Date or in ms', async () => {
    expect(await statusAt(() => then)).toEqual([200, '']);
    expect(await statusAt(() => then.getTime())).toEqual([200, '']);
    expect(await statusAt(() => then.getTime() + 114_960_000)).toEqual([200, '']);
    expect((await statusAt(() => then.getTime() + 114_961_000))[0]).toBe(401);
    expect((await statusAt(() => new Date(then.getTime() + 114_961_000)))[0]).toBe(401);
  });

  it('that returns no time makes a 500 response, and the log says so', async () => {
    for (const value of ['2024-03-01', new Date(Number.NaN), Number.POSITIVE_INFINITY, undefined]) {
      expect(await statusAt(() => value as never)).toEqual([
        500,
        expect.stringContaining('now: must return a valid Date or a number of ms since 1970'),
      ]);
    }
    expect((await statusAt(throws(new Error('no clock'))))[0]).toBe(500);
  });
});

describe('an asynchronous hook that rejects', () => {
  // Vitest fails a run in which a rejection is not handled.
  it('neither ends the process nor changes the response', async () => {
    const reject = async () => Promise.reject(new Error('the hook is down'));
    const hooks = {
      onError: reject,
      onDelivery: reject,
      logger: { info: reject, warn: reject, error: reject },
    };
    const { deliver } = receiverOf(() => 'fine', hooks);
    expect(await deliver()).toBe(200);
    expect(await deliver(delivery({ headers: { 'X-Service-Signature': 'a'.repeat(64) } }))).toBe(401);
    expect(await receiverOf(reject, hooks).deliver()).toBe(500);
    expect(await receiverOf(() => 'fine', { ...hooks, now: reject as never }).deliver()).toBe(500);
    await new Promise((resolve) => setImmediate(resolve));
  });
});
