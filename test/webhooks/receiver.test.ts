import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/base.js';
import { AlreadyHandledError } from '../../src/webhooks/errors.js';
import {
  createWebhookHandler,
  type DedupeStore,
  memoryDedupe,
  type WebhookDeliveryRecord,
  type WebhookHandlerOptions,
  WebhookVerificationError,
} from '../../src/webhooks/index.js';
import { bodyOf, delivery, receiver, recordingLogger, secret } from './deliveries.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function deferred() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const textOf = async (response: Response) => [response.status, await response.text()];

describe('a delivery', () => {
  it('is passed to the handler of its event with its key, and gets a 200 response', async () => {
    const seen: unknown[] = [];
    const { handler } = receiver({
      on: {
        'transaction.completed': (event, { key }) => seen.push(['completed', event.data.reference, key]),
        'transaction.failed': (event, { key }) => seen.push(['failed', event.data.reference, key]),
      },
      onUnknown: (event, { key }) => seen.push([event.event, event.data.reference, key]),
    });
    for (const event of ['transaction.completed', 'transaction.failed', 'wallet.low']) {
      const response = await handler(delivery({ event }));
      expect(await textOf(response)).toEqual([200, 'ok']);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    expect(seen).toEqual([
      ['completed', 'TXN-1', 'transaction.completed:TXN-1'],
      ['failed', 'TXN-1', 'transaction.failed:TXN-1'],
      ['wallet.low', 'TXN-1', 'wallet.low:TXN-1'],
    ]);
  });

  it('gets its response only after the promise of the handler has resolved', async () => {
    const [started, work] = [deferred(), deferred()];
    const handle = () => {
      started.resolve();
      return work.promise;
    };
    const { handler } = receiver({ on: { 'transaction.completed': handle } });
    let responded = false;
    const response = handler(delivery()).finally(() => {
      responded = true;
    });
    await started.promise;
    expect((await handler(delivery())).status).toBe(503);
    expect(responded).toBe(false);
    work.resolve();
    expect((await response).status).toBe(200);
  });
});

describe('responses to deliveries that must not be handled', () => {
  const refused = async (request: Request, options: Partial<WebhookHandlerOptions> = {}) => {
    const { handler, handled, errors, failures, logger } = receiver(options);
    const response = await handler(request);
    expect(handled).toEqual([]);
    return { response, errors, failures, logger };
  };

  it('405 for other methods and for none, with an Allow header', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const { response } = await refused(new Request('https://shop.example/', { method }));
      expect(await textOf(response)).toEqual([405, 'method not allowed']);
      expect(response.headers.get('allow')).toBe('POST');
    }
    const answer = await receiver().handler.receive({ method: undefined, headers: {}, body: '' });
    expect(answer.status).toBe(405);
  });

  it('401 for a forged delivery, without the reason', async () => {
    const stale = '1000000000';
    for (const headers of [
      { 'X-Service-Signature': 'a'.repeat(64) },
      { 'X-Service-Signature': 'nonsense' },
      { 'X-Service-Signature': '' },
      { 'X-Service-Timestamp': stale },
      { 'X-Service-Timestamp': 'yesterday' },
      { 'X-Service-Event': 'transaction.failed' },
    ]) {
      const { response, failures, logger, errors } = await refused(delivery({ headers }));
      expect(await textOf(response)).toEqual([401, 'unauthorized']);
      expect(failures).toHaveLength(1);
      expect(failures[0]).toEqual({ stage: 'verify' });
      expect(errors[0]).toBeInstanceOf(WebhookVerificationError);
      expect(logger.lines).toHaveLength(1);
      expect(logger.lines[0]).toMatch(/^warn billpay webhooks: WebhookVerificationError: .*"reason":"/);
    }
  });

  it('400 for a signed body that is not a delivery', async () => {
    for (const body of ['not json', '{}', '[]', '{"event":"transaction.completed"}']) {
      const { response } = await refused(delivery({ body }));
      expect(await textOf(response)).toEqual([400, 'bad request']);
    }
  });

  it('413 for a body that is too large, however it is sent, and not for one that just fits', async () => {
    const body = bodyOf('TXN-1');
    const { headers } = delivery({ headers: { 'Content-Length': `${Buffer.byteLength(body)}` } });
    for (const [maxBodyBytes, status] of [
      [Buffer.byteLength(body) - 1, 413],
      [Buffer.byteLength(body), 200],
    ] as const) {
      expect((await receiver({ maxBodyBytes }).handler(delivery())).status).toBe(status);
      for (const given of [headers, delivery().headers]) {
        const { handler } = receiver({ maxBodyBytes });
        expect((await handler.receive({ method: 'POST', headers: given, body })).status).toBe(status);
      }
    }
  });

  it('400 for a body that breaks off', async () => {
    const broken = new ReadableStream({
      start: (controller) => controller.error(new Error('socket hang up')),
    });
    const { handler, failures, logger } = receiver();
    const answer = await handler.receive({ method: 'POST', headers: {}, body: broken });
    expect(answer.status).toBe(400);
    expect(failures[0]).toEqual({ stage: 'read' });
    expect(logger.lines).toEqual([expect.stringMatching(/^warn billpay webhooks: Error: socket hang up/)]);
  });

  it('500 for a parsed body; only the log line says how to fix it', async () => {
    const { handler, logger } = receiver();
    const headers = delivery().headers;
    for (const body of [{ event: 'transaction.completed' }, undefined, null]) {
      const answer = await handler.receive({ method: 'POST', headers, body });
      expect([answer.status, answer.body]).toEqual([500, 'error']);
    }
    for (const line of logger.lines) expect(line).toMatch(/raw body.*Express: express\.raw/);
    expect(logger.lines[0]).toContain('the body has been parsed');
    expect(logger.lines).toHaveLength(3);
  });

  it('500 when reading the headers fails', async () => {
    const headers = {
      get(name: string): string | null {
        if (name === 'content-length') return null;
        throw new TypeError('headers are gone');
      },
    };
    const { handler, errors } = receiver();
    const answer = await handler.receive({ method: 'POST', headers, body: bodyOf('TXN-1') });
    expect([answer.status, answer.body]).toEqual([500, 'error']);
    expect(errors[0]).toBeInstanceOf(TypeError);
  });

  it('500 for a request whose body was read before', async () => {
    const { handler, failures, logger } = receiver();
    const request = delivery();
    await request.text();
    expect(await textOf(await handler(request))).toEqual([500, 'error']);
    expect(logger.lines[0]).toMatch(/^warn .*was read before.*handler\.receive/);
    expect(failures[0]).toEqual({ stage: 'verify' });
  });
});

describe('a handler that fails', () => {
  it('gets a 500 response, and the next delivery of the event is handled', async () => {
    let runs = 0;
    const { handler, failures, logger } = receiver({
      on: {
        'transaction.completed': async () => {
          runs += 1;
          if (runs === 1) throw new Error('database of sk_live_1234 is down, token 03600873271267716521');
        },
      },
    });
    expect(await textOf(await handler(delivery()))).toEqual([500, 'error']);
    expect(await textOf(await handler(delivery()))).toEqual([200, 'ok']);
    expect(await textOf(await handler(delivery()))).toEqual([200, 'ok']);
    expect(runs).toBe(2);
    expect(failures).toMatchObject([{ stage: 'handle', event: { data: { reference: 'TXN-1' } } }]);
    expect(logger.lines).toEqual([
      expect.stringMatching(
        /^error billpay webhooks: Error: database of sk_\[redacted\] is down, token \[redacted\] \{"stage":"handle","event":"transaction.completed","reference":"TXN-1","stack":"Error: database of sk_\[redacted\]/,
      ),
    ]);
  });

  it('with an AlreadyHandledError gets a 200 response without a log line', async () => {
    let runs = 0;
    const { handler, failures } = receiver({
      on: {
        'transaction.completed': () => {
          runs += 1;
          throw new AlreadyHandledError();
        },
      },
    });
    expect((await handler(delivery())).status).toBe(200);
    expect((await handler(delivery())).status).toBe(200);
    expect(runs).toBe(1);
    expect(failures).toEqual([]);
    expect(new AlreadyHandledError()).toMatchObject({
      name: 'AlreadyHandledError',
      code: 'ALREADY_HANDLED',
      message: expect.stringContaining('roll this transaction back'),
    });
  });

  it('gets its response even when the logger and onError throw', async () => {
    const explode = () => {
      throw new Error('the teller failed');
    };
    const { handler } = receiver({
      onError: async () => explode(),
      logger: { info: explode, warn: explode, error: explode },
      on: { 'transaction.completed': explode },
    });
    expect((await handler(delivery())).status).toBe(500);
    expect((await handler(delivery({ headers: { 'X-Service-Signature': 'x' } }))).status).toBe(401);
  });
});

describe('de-duplication', () => {
  it('responds with 503 and Retry-After while another run has the event', async () => {
    const dedupe = memoryDedupe();
    await dedupe.begin('transaction.completed:TXN-1', 'another');
    const { handler, handled } = receiver({ dedupe });
    const response = await handler(delivery());
    expect(await textOf(response)).toEqual([503, 'try again later']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(handled).toEqual([]);
  });

  it('can be turned off', async () => {
    let failing = true;
    const seen: string[] = [];
    const { handler } = receiver({
      dedupe: false,
      on: {
        'transaction.completed': (event) => {
          seen.push(event.data.reference);
          if (failing) throw new Error('no');
        },
      },
    });
    expect((await handler(delivery())).status).toBe(500);
    failing = false;
    expect((await handler(delivery())).status).toBe(200);
    expect((await handler(delivery())).status).toBe(200);
    expect(seen).toEqual(['TXN-1', 'TXN-1', 'TXN-1']);
  });

  const works = () => undefined;
  const fails = () => {
    throw new Error('no');
  };

  it.each<[failing: keyof DedupeStore, handle: () => void, status: number, stages: string[]]>([
    // No handler runs; after its effect nothing is delivered again; a claim that stays expires.
    ['begin', works, 503, ['dedupe']],
    ['done', works, 200, ['dedupe']],
    ['release', fails, 500, ['handle', 'dedupe']],
  ])('with a store that fails at %s', async (failing, handle, status, expected) => {
    const handler = vi.fn(handle);
    const dedupe = { ...memoryDedupe(), [failing]: async () => fails() };
    const made = receiver({ dedupe, on: { 'transaction.completed': handler } });
    expect((await made.handler(delivery())).status).toBe(status);
    expect(handler).toHaveBeenCalledTimes(failing === 'begin' ? 0 : 1);
    expect(made.stages()).toEqual(expected);
  });

  it('warns once in production that the default is for one process', () => {
    const warnings = (options: Partial<WebhookHandlerOptions>) => receiver(options).logger.lines;
    expect(warnings({})).toEqual([]);
    vi.stubEnv('NODE_ENV', 'production');
    expect(warnings({})).toHaveLength(1);
    expect(warnings({})[0]).toMatch(/^warn .*redisDedupe\(client\) or postgresDedupe\(pool\)/);
    expect(warnings({ dedupe: memoryDedupe() })).toEqual([]);
    expect(warnings({ dedupe: false })).toEqual([]);
    const warn = () => {
      throw new Error('the disk is full');
    };
    expect(receiver({ logger: { ...console, warn } }).handler).toBeTypeOf('function');
  });

  it('lets each event succeed exactly once, in any order of deliveries and with handlers that fail at times', async () => {
    const reference = fc.constantFrom('A', 'B', 'C');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ reference, fails: fc.boolean() }), { maxLength: 20 }),
        fc.boolean(),
        async (steps, together) => {
          const succeeded: string[] = [];
          const plans = new Map<string, boolean[]>();
          for (const step of steps) {
            plans.set(step.reference, [...(plans.get(step.reference) ?? []), step.fails]);
          }
          const { handler } = receiver({
            on: {
              'transaction.completed': async ({ data }) => {
                await Promise.resolve();
                if (plans.get(data.reference)?.shift()) throw new Error('now and then');
                succeeded.push(data.reference);
              },
            },
          });
          const send = async (to: string) => ({
            to,
            status: (await handler(delivery({ reference: to }))).status,
          });
          const answers: { to: string; status: number }[] = [];
          if (together) answers.push(...(await Promise.all(steps.map((step) => send(step.reference)))));
          else for (const step of steps) answers.push(await send(step.reference));
          for (const name of ['A', 'B', 'C']) {
            const taken = answers.some((answer) => answer.to === name && answer.status === 200);
            expect(succeeded.filter((other) => other === name)).toHaveLength(taken ? 1 : 0);
          }
        },
      ),
    );
  });
});

describe('a handler slower than the timeout', () => {
  const slow = (options: Partial<WebhookHandlerOptions> = {}) => {
    const runs: ReturnType<typeof deferred>[] = [];
    const made = receiver({
      timeout: 10_000,
      on: {
        'transaction.completed': () => {
          const run = deferred();
          runs.push(run);
          return run.promise;
        },
      },
      ...options,
    });
    return { ...made, runs };
  };

  it('gets a 503 response, has no second run at the same time, and counts as done when it succeeds', async () => {
    vi.useFakeTimers();
    const { handler, runs, logger, stages } = slow();
    const response = handler(delivery());
    await vi.advanceTimersByTimeAsync(9_999);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await textOf(await response)).toEqual([503, 'try again later']);
    expect((await response).headers.has('retry-after')).toBe(true);
    expect(stages()).toEqual(['timeout']);
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn .*has not finished within the timeout of 10000 ms; it keeps running/),
    ]);

    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect((await handler(delivery())).status).toBe(503);
    expect(runs).toHaveLength(1);

    runs[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect((await handler(delivery())).status).toBe(200);
    expect(runs).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is run again by the next delivery when it fails after the timeout', async () => {
    vi.useFakeTimers();
    const { handler, runs, stages } = slow();
    const response = handler(delivery());
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await response).status).toBe(503);
    runs[0]?.reject(new Error('too late'));
    await vi.advanceTimersByTimeAsync(0);
    expect(stages()).toEqual(['timeout', 'handle']);
    const second = handler(delivery());
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(2);
    runs[1]?.resolve();
    expect((await second).status).toBe(200);
  });

  it('loses its claim after ten leases, so that its event is handled by another run', async () => {
    vi.useFakeTimers();
    const { handler, runs } = slow({ dedupe: memoryDedupe({ lease: 60_000 }) });
    handler(delivery());
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect((await handler(delivery())).status).toBe(503);
    await vi.advanceTimersByTimeAsync(60_000);
    handler(delivery());
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(2);
  });

  it('continues to renew its claim after a failed renewal, but not after the claim is lost', async () => {
    vi.useFakeTimers();
    const renewals: string[] = [];
    const answers = [new Error('down'), true, false];
    const store = memoryDedupe();
    const { handler, stages } = slow({
      dedupe: {
        ...store,
        async renew(key) {
          renewals.push(key);
          const answer = answers.shift();
          if (answer instanceof Error) throw answer;
          return answer ?? true;
        },
      },
    });
    handler(delivery());
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(renewals).toHaveLength(3);
    expect(stages()).toEqual(['timeout', 'dedupe']);
  });

  it('renews its claim three times a lease', async () => {
    vi.useFakeTimers();
    const renewals: number[] = [];
    const store = memoryDedupe({ lease: 60_000 });
    const startedAt = performance.now();
    const { handler } = slow({
      dedupe: {
        ...store,
        async renew(...args) {
          renewals.push(performance.now() - startedAt);
          return (await store.renew?.(...args)) ?? false;
        },
      },
    });
    handler(delivery());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(renewals).toEqual([20_000, 40_000, 60_000]);
  });

  it('renews no claim of a store without `lease` or without `renew`', async () => {
    vi.useFakeTimers();
    const { begin, done, release, renew } = memoryDedupe();
    const renewals: string[] = [];
    const counting = async (key: string) => {
      renewals.push(key);
      return true;
    };
    expect(renew).toBeDefined();
    for (const dedupe of [
      { begin, done, release, renew: counting },
      { begin, done, release, lease: 3 },
    ]) {
      const { handler, runs, stages } = slow({ dedupe });
      const response = handler(delivery());
      await vi.advanceTimersByTimeAsync(5_000);
      expect(vi.getTimerCount()).toBe(1);
      runs[0]?.reject(new Error('no'));
      await response;
      expect(stages()).toEqual(['handle']);
    }
    expect(renewals).toEqual([]);
  });

  it('gets a 503 response also when it is the store that never responds', async () => {
    vi.useFakeTimers();
    const { handler } = slow({ dedupe: { ...memoryDedupe(), begin: () => new Promise(() => undefined) } });
    const response = handler(delivery());
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await response).status).toBe(503);
  });
});

describe('a missing secret', () => {
  it.each<[string, WebhookHandlerOptions['secret'], RegExp]>([
    ['undefined', undefined, /is undefined: .*environment variable BILLPAY_WEBHOOK_SECRET/],
    ['an empty variable', '', /is empty/],
    ['an empty list', [], /list of webhook secrets is empty/],
    ['each of two', ['', undefined], /is empty/],
  ])(
    '%s: one line when the handler is created, and a 500 response to each delivery',
    async (_, missing, why) => {
      const logger = recordingLogger();
      const records: WebhookDeliveryRecord[] = [];
      const handle = vi.fn();
      const handler = createWebhookHandler({
        secret: missing,
        on: { 'transaction.completed': handle },
        logger,
        onDelivery: (record) => records.push(record),
      });
      expect(logger.lines).toHaveLength(1);
      expect(logger.lines[0]).toMatch(/^warn billpay webhooks: the (list of )?webhook secret/);
      expect(logger.lines[0]).toMatch(why);
      expect((await handler(delivery())).status).toBe(500);
      expect(records).toMatchObject([{ status: 500, reason: 'secret_malformed' }]);
      expect(handle).not.toHaveBeenCalled();
    },
  );
});

describe('wrong options', () => {
  const on = { 'transaction.completed': () => undefined };

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['secret', { secret: 'undefined' }, /is the text "undefined"/],
    ['secret', { secret: [undefined, 'x'] }, /does not begin with whsec_/],
    ['on', { on: undefined }, /is missing: pass a function for transaction.completed and transaction.failed/],
    ['on', { on: 'all' }, /must be an object/],
    [
      "on['transaction.complete']",
      { on: { 'transaction.complete': () => 1 } },
      /did you mean transaction.completed\?\); the options are transaction.completed, transaction.failed/,
    ],
    ["on['transaction.failed']", { on: { 'transaction.failed': 'f' } }, /must be a function/],
    ['onUnknown', { onUnknown: 1 }, /must be a function/],
    [
      'dedupe',
      { dedupe: true },
      /must be false or a de-duplication store, such as memoryDedupe\(\).*; got true/,
    ],
    ['dedupe', { dedupe: { begin() {} } }, /lacks done, release/],
    ['tolerance', { tolerance: -1 }, /finite number of seconds/],
    ['timeout', { timeout: 0 }, /whole number of at least 1/],
    ['timeout', { timeout: 2 ** 31 }, /at most 2147483647; got 2147483648/],
    ['maxBodyBytes', { maxBodyBytes: Number.NaN }, /whole number of at least 1/],
    ['logger', { logger: { warn() {} } }, /such as console, .*; this one lacks info, error/],
    ['now', { now: new Date() }, /must be a function that returns the current time as a Date or in ms/],
  ])('%s: %o', (option, wrong, message) => {
    const make = () => createWebhookHandler({ secret, on, ...wrong } as WebhookHandlerOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
    expect(make).toThrow(`${option}: `);
  });
});
