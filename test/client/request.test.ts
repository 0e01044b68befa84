import { describe, expect, it } from 'vitest';
import type { RequestParams } from '../../src/http/request.js';
import { type BillPay, ServerError, UnexpectedResponseError, ValidationError } from '../../src/index.js';
import { keptLines } from '../support/script.js';
import { clientOf, rejectionOf, useWire } from '../support/wire.js';

const wire = useWire();

const later = { method: 'GET', path: '/later' } as const;
const posted = { method: 'POST', path: '/later' } as const;

describe('request()', () => {
  it('sends GET with client_id and query, and gives the whole body', async () => {
    const body = { status: 'success', variations: [{ code: 'A1' }] };
    wire.respond({ method: 'GET', path: '/data/variations' }, { body });
    const query = { biller: 'MTN', page: 2, all: true, none: undefined, text: 'a b&c' };
    const { data, response, attempts } = await clientOf()
      .request({ method: 'GET', path: '/data/variations', query })
      .withResponse();
    expect(data).toEqual(body);
    expect(attempts).toBe(1);
    expect(await response.json()).toEqual(body);
    expect(wire.sent).toEqual([
      {
        method: 'GET',
        url: 'https://pay.example/api/v1/data/variations?client_id=client-041&biller=MTN&page=2&all=true&text=a+b%26c',
        headers: expect.objectContaining({
          authorization: 'Bearer sk_test_4f9QxV2kLmN8',
          'content-type': 'application/json',
        }),
        body: '',
      },
    ]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'sends %s with client_id in its body',
    async (method) => {
      wire.respond({ method, path: '/later/thing' }, { body: [1, 'two'] });
      const params = {
        method,
        path: '/later/thing',
        query: { dry: true, skip: undefined },
        body: { a: [1] },
      };
      expect(await clientOf().request(params)).toEqual([1, 'two']);
      expect(wire.sent.map(({ url, method, body }) => ({ url, method, body: JSON.parse(body) }))).toEqual([
        {
          method,
          url: 'https://pay.example/api/v1/later/thing?dry=true',
          body: { client_id: 'client-041', a: [1] },
        },
      ]);
    },
  );

  it.each([204, 205])('gives undefined for an empty %i', async (status) => {
    wire.respond({ method: 'DELETE', path: '/later' }, { status });
    const { data, response } = await clientOf().request({ method: 'DELETE', path: '/later' }).withResponse();
    expect([data, response.status, response.body]).toEqual([undefined, status, null]);
    expect(wire.sent[0]?.body).toBe('{"client_id":"client-041"}');
  });

  it.each(['', '<html>', '{"cut": '])('refuses a 200 that is not JSON: %j', async (body) => {
    wire.respond(later, { status: 200, body });
    const error = await rejectionOf(clientOf().request(later));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({
      operation: 'request',
      status: 200,
      body,
      mayHaveCharged: false,
      message: 'request returned a 200 response that cannot be used: its body is not JSON.',
    });
  });

  it('logs neither a warning nor a difference, because no form of the response is documented', async () => {
    const { lines, logger } = keptLines();
    wire.respond(later, { body: { anything: 1 } });
    await clientOf({ logger, logLevel: 'info' }).request(later);
    expect(lines).toEqual([]);
  });
});

describe('errors of request()', () => {
  const post = (billpay: BillPay, body: Record<string, unknown>) => billpay.request({ ...posted, body });

  it('carries its idempotency_key', async () => {
    wire.respond(posted, { status: 500, body: { status: 'error', code: 'GATEWAY_ERROR', message: 'x' } });
    const error = await rejectionOf(post(clientOf(), { idempotency_key: 'order-9' }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({
      operation: 'request',
      idempotencyKey: 'order-9',
      mayHaveCharged: true,
      message: expect.stringContaining("Retry with idempotency_key 'order-9'"),
    });
  });

  it('without one says that it may have been carried out, and is never repeated', async () => {
    wire.respond(posted, { status: 500, body: { status: 'error', code: 'GATEWAY_ERROR', message: 'x' } });
    const error = await rejectionOf(post(clientOf({ maxRetries: 4 }), {}));
    expect(error).toMatchObject({
      attempts: 1,
      idempotencyKey: undefined,
      mayHaveCharged: true,
      message:
        'request failed with 500 GATEWAY_ERROR (x). It may have been carried out, and has no idempotency_key to repeat it under: check before you repeat it. Call again later.',
    });
    expect(wire.sent).toHaveLength(1);
  });
});

describe('request() refuses before anything is sent', () => {
  const refusal = async (params: unknown): Promise<unknown> => {
    const call = clientOf().request(params as RequestParams);
    const error = await rejectionOf(call);
    expect(wire.sent).toEqual([]);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      operation: 'request',
      attempts: 0,
      status: undefined,
      message: expect.stringMatching(/^request was not sent: /),
    });
    return error instanceof ValidationError ? error.errors : undefined;
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const throws = () => {
    throw new Error('not now');
  };
  const key = { idempotency_key: 'order-7' };
  const cycle: Record<string, unknown> = {};
  cycle['itself'] = cycle;

  const relative = /begins with a slash/;
  const more = /pass the query as query/;
  const leaves = /^must not leave the base address: no empty, \. or \.\. segments$/;
  const noText = /^contains at, which is neither a string, a number nor a boolean$/;
  const ownId = /^must not contain client_id: the client adds its own clientId$/;
  const elsewhere = 'https://elsewhere.example/';

  it.each<[field: string, said: RegExp, base: object, values: unknown[]]>([
    [
      'method',
      /must be one of GET, POST, PUT, PATCH, DELETE(; got|$)/,
      later,
      [undefined, 'get', 'HEAD', 7, null],
    ],
    ['path', relative, later, [undefined, 7, '', 'later', elsewhere, new URL(elsewhere)]],
    ['path', more, later, ['/a?b=1', '/a#b', '/a b', '/a\nb', '/a\\b']],
    ['path', leaves, later, ['//elsewhere.example', '/a//b', '/..', '/../v2', '/a/../b', '/./a']],
    ['path', leaves, later, ['/%2e%2e/a', '/a%2Fb', '/%2E./a']],
    ['query', /^must be an object of strings, numbers and booleans$/, later, [null, 'a=1', [], 7]],
    ['query', noText, later, [{ at: null }, { at: ['x'] }, { at: {} }, { at: 10n }, { at: Symbol('x') }]],
    ['query', ownId, posted, [{ client_id: 'other', a: 1 }, { client_id: undefined }]],
    ['body', ownId, posted, [{ client_id: 'other' }]],
    [
      'body',
      /^must be an object$/,
      posted,
      [
        ...[null, 'x', [], 7, Object.assign([], { toJSON: () => ({}) })],
        ...['text', [1], undefined].map((other) => ({ toJSON: () => other })),
      ],
    ],
    ['body', /^must not be set with GET: pass the fields as query$/, later, [{ a: 1 }]],
    [
      'body',
      /^contains an idempotency_key that is not a non-empty string$/,
      posted,
      [undefined, null, '', '  ', 7].map((idempotency_key) => ({ idempotency_key })),
    ],
    [
      'body',
      /^cannot be written as JSON: .+ a cycle or a BigInt$/,
      posted,
      [cycle, { n: 10n }, revoked.proxy],
    ],
    [
      'body',
      /^contains an idempotency_key that JSON leaves out, .+: pass a plain object$/,
      posted,
      [
        Object.create(key),
        Object.defineProperty({}, 'idempotency_key', { value: 'order-7' }),
        { ...key, toJSON: () => ({ a: 1 }) },
        new Proxy({}, { has: throws }),
      ],
    ],
    ['body', /^cannot be written as JSON: reading one of its fields failed$/, posted, [{ toJSON: throws }]],
    ['body', /NaN at 'amount', .+ pass a finite number$/, posted, [{ amount: Number.NaN }]],
    ['body', /Infinity at '1', .+ pass a finite number$/, posted, [{ a: [1, Number.POSITIVE_INFINITY] }]],
  ])('%s: %s', async (field, said, base, values) => {
    for (const value of values) {
      expect(await refusal({ ...base, [field]: value })).toEqual({ [field]: expect.stringMatching(said) });
    }
  });

  it('a body of GET, whatever else is wrong', async () => {
    const path = expect.stringMatching(relative);
    const body = expect.stringContaining('must not be set with GET');
    expect(await refusal({ method: 'GET', path: 'later', body: {} })).toEqual({ path, body });
    expect(await refusal({ method: 'POST', path: 'later', body: {} })).toEqual({ path });
    expect(await refusal({ method: 'GET', path: 'later' })).toEqual({ path });
  });

  it('params that are no object', async () => {
    for (const params of [undefined, null, 'GET /later', 7, [], () => {}]) {
      expect(await refusal(params)).toEqual({ params: 'must be an object with the fields of this call' });
    }
  });

  it('names that it does not know, and everything else at once', async () => {
    expect(await refusal({ methd: 'GET', client_id: 'x', query: 7, body: 7 })).toEqual({
      methd: expect.stringMatching(
        /^is not a parameter of this call \(did you mean method\?\); the parameters are /,
      ),
      client_id: expect.stringContaining('the client adds its own clientId'),
      method: expect.any(String),
      path: expect.any(String),
      query: expect.any(String),
      body: expect.any(String),
    });
  });
});
