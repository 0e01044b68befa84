import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { TransportOutcome } from '../../src/http/transport.js';
import { ConfigurationError, nextStep, type PurchaseOptions, type Transport } from '../../src/index.js';
import { rejected, resolved, useFakeClock } from '../support/clock.js';
import * as envelopes from '../support/envelopes.js';
import { clientWithin } from '../support/script.js';

useFakeClock();

const order = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-1' } as const;

const clientOver = (transport: Transport) => clientWithin({ maxRetries: 0, transport });

const acceptance = JSON.stringify(envelopes.acceptance());

const accepted: TransportOutcome = {
  kind: 'response',
  status: 202,
  headers: new Headers({ 'x-request-id': 'r-1' }),
  text: acceptance,
};

const coded = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect' });

describe("a caller's transport", () => {
  it('is given the whole request and its bounds, and its response is used', async () => {
    const transport = vi.fn<Transport>(async () => accepted);
    const { signal } = new AbortController();
    const { response } = await resolved(
      clientOver(transport).airtime.purchase(order, { signal, timeout: 1500 }).withResponse(),
    );
    const { status, statusText, headers, url } = response;
    expect([status, statusText, headers.get('x-request-id'), url]).toEqual([
      202,
      '',
      'r-1',
      'https://service.test/api/v1/airtime/purchase',
    ]);
    expect(transport).toHaveBeenCalledExactlyOnceWith(
      {
        method: 'POST',
        url: 'https://service.test/api/v1/airtime/purchase',
        headers: expect.objectContaining({ authorization: 'Bearer sk_test_4f9c1d7e' }),
        body: JSON.stringify({ client_id: 'client-1', ...order }),
      },
      { timeoutMs: 1500, signal },
    );
  });

  it.each([true, false])('is believed when it says mayHaveArrived: %s', async (mayHaveArrived) => {
    const cause = coded('ECONNREFUSED');
    const client = clientOver(async () => ({ kind: 'failure', why: 'connection', mayHaveArrived, cause }));
    expect(await rejected(client.airtime.purchase(order))).toMatchObject({
      name: 'ConnectionError',
      mayHaveCharged: mayHaveArrived,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('refuses a request before it is sent with a ConfigurationError', async () => {
    const client = clientOver(async () => {
      throw new ConfigurationError('headers', 'must not contain host');
    });
    expect(await rejected(client.airtime.purchase(order))).toMatchObject({
      name: 'ConfigurationError',
      mayHaveCharged: false,
      operation: 'airtime.purchase',
      idempotencyKey: 'order-1',
    });
  });

  it.each<[string, number, PurchaseOptions]>([
    ['an earlier attempt', 2, {}],
    ['an earlier call', 1, { resume: true }],
  ])('leaves the doubt of %s when it refuses a request', async (_, refusedAttempt, options) => {
    let attempt = 0;
    const transport: Transport = async () => {
      attempt += 1;
      if (attempt === refusedAttempt) throw new ConfigurationError('headers', 'must not contain host');
      return { kind: 'failure', why: 'connection', mayHaveArrived: true };
    };
    const billpay = clientWithin({ transport });
    const error = await rejected(billpay.airtime.purchase(order, options));
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      mayHaveCharged: true,
      attempts: refusedAttempt - 1,
      idempotencyKey: 'order-1',
    });
    expect(nextStep(error).action).toBe('resume');
  });
});

it('a response with a status that no response has is not as documented, and leaves the doubt', async () => {
  const client = clientOver(async () => ({ ...accepted, status: 102 }));
  expect(await rejected(client.airtime.purchase(order))).toMatchObject({
    name: 'UnexpectedResponseError',
    mayHaveCharged: true,
    message: expect.stringContaining('a 102 response that cannot be used: its body is not as documented.'),
  });
});

describe('leaves a purchase in doubt, and settled, whose transport', () => {
  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw coded('ECONNREFUSED');
      },
      'ECONNREFUSED',
    ],
    ...[
      undefined,
      { ...accepted, kind: 'reply' },
      { ...accepted, status: Number.NaN },
      { ...accepted, text: 5 },
      { ...accepted, headers: {} },
      { ...accepted, headers: undefined },
      { ...accepted, status: 500, headers: { get: () => 7 } },
      { kind: 'failure', mayHaveArrived: false },
    ].map((outcome): [string, () => unknown, string] => [
      `resolves to ${inspect(outcome, { depth: 1 })}`,
      async () => outcome,
      'the transport resolved to something that is neither a response nor a failure',
    ]),
    [
      'resolves to a redirect whose headers throw',
      async () => ({
        ...accepted,
        status: 302,
        headers: {
          get() {
            throw new Error('the headers are gone');
          },
        },
      }),
      'the headers are gone',
    ],
    [
      'resolves to an outcome that cannot be read',
      async () => ({
        get kind() {
          throw new Error('a getter');
        },
      }),
      'a getter',
    ],
  ])('%s', async (_, transport, message) => {
    const error = await rejected(clientOver(transport as unknown as Transport).airtime.purchase(order));
    expect(error).toMatchObject({
      name: 'ConnectionError',
      mayHaveCharged: true,
      attempts: 1,
      cause: { message },
    });
  });

  it('never settles: its time-out is kept', async () => {
    const client = clientOver(() => new Promise(() => {}));
    const error = await rejected(client.airtime.purchase(order, { timeout: 1000 }));
    expect(error).toMatchObject({ name: 'TimeoutError', mayHaveCharged: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('never settles: an abort ends it', async () => {
    const controller = new AbortController();
    const reason = { why: 'the customer left' };
    const client = clientOver(() => {
      queueMicrotask(() => controller.abort(reason));
      return new Promise(() => {});
    });
    const error = await rejected(client.airtime.purchase(order, { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortError', mayHaveCharged: true });
    expect(error).toHaveProperty('cause', reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it.each([
  [new Error('reset by Bearer sk_live_0123456789'), { message: 'reset by Bearer [redacted]' }],
  [undefined, undefined],
])('shows why a body broke off, without the key: %s', async (thrown, cause) => {
  const bodyFailure = { why: 'incomplete', cause: thrown } as const;
  const client = clientOver(async () => ({ ...accepted, text: '', bodyFailure }));
  const error = await rejected(client.airtime.purchase(order));
  expect(error).toMatchObject({ message: expect.stringContaining('its body was cut off') });
  expect(Object(error).cause).toEqual(cause && expect.objectContaining(cause));
});

it('takes the word of a transport that reports a time-out by itself', async () => {
  const client = clientOver(
    (_, { timeoutMs }) =>
      new Promise((resolve) => {
        setTimeout(() => resolve({ kind: 'failure', why: 'timeout', mayHaveArrived: false }), timeoutMs);
      }),
  );
  expect(await rejected(client.airtime.purchase(order))).toMatchObject({
    name: 'TimeoutError',
    mayHaveCharged: false,
  });
});

it('reports no purchase as not charged unless its transport said so', async () => {
  const seed = Date.UTC(2026, 0, 31);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.anything(),
        fc.record({
          kind: fc.constantFrom('failure', 'response', 'x'),
          status: fc.anything(),
          why: fc.anything(),
        }),
      ),
      fc.boolean(),
      async (thing, throws) => {
        const transport = async () => {
          if (throws) throw thing;
          return thing;
        };
        const error = await rejected(clientOver(transport as unknown as Transport).airtime.purchase(order));
        expect(error).toMatchObject({ mayHaveCharged: true });
      },
    ),
    { seed },
  );
});
