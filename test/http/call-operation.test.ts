import { afterEach, describe, expect, it, vi } from 'vitest';
import { BillPay } from '../../src/index.js';
import { rejected, resolved, useFakeClock } from '../support/clock.js';
import { airtime, catalogue, clientWith, json, script } from '../support/script.js';

useFakeClock();

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe('headers', () => {
  it('say who calls, with what key, and in what form', async () => {
    const { fetch, sent } = script(catalogue);
    await resolved(clientWith(fetch).data.products({ biller: 'MTN' }));
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({
      accept: 'application/json',
      authorization: 'Bearer sk_test_4f9c1d7e',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^billpay-sdk\/\d+\.\d+\.\d+/),
    });
  });

  it('do not say who calls in a browser, where that would cost a preflight', async () => {
    vi.stubGlobal('document', {});
    vi.resetModules();
    const fresh: { BillPay: typeof BillPay } = await import('../../src/index.js');
    const { fetch, sent } = script(catalogue);
    const options = { apiKey: 'pk_test_1', clientId: 'c', baseUrl: 'https://service.test/api/v1', fetch };
    await resolved(new fresh.BillPay(options).data.products({ biller: 'MTN' }));
    expect(sent[0]?.headers.has('user-agent')).toBe(false);
  });

  it('of a call go over those of the client, in any case', async () => {
    const { fetch, sent } = script(catalogue);
    const billpay = clientWith(fetch, { headers: { 'X-Till': '1', Accept: 'text/plain' } });
    await resolved(billpay.data.products({ biller: 'MTN' }, { headers: { 'x-till': '2' } }));
    expect(sent[0]?.headers.get('x-till')).toBe('2');
    expect(sent[0]?.headers.get('accept')).toBe('text/plain');
  });
});

it('looks the global fetch up at each call', async () => {
  const { fetch } = script(catalogue);
  const billpay = new BillPay({
    apiKey: 'pk_test_1',
    clientId: 'c',
    baseUrl: 'https://service.test/api/v1',
    logLevel: 'off',
  });
  vi.stubGlobal('fetch', fetch);
  expect(await resolved(billpay.data.products({ biller: 'MTN' }))).toMatchObject({ biller: 'MTN' });
});

it('tells every problem of every field at once, and sends nothing', async () => {
  const { fetch, sent } = script();
  const error = await rejected(
    clientWith(fetch).airtime.purchase(Object({ ...airtime, recipient: 803, amount: 0, customer_phne: '1' })),
  );
  expect(error).toMatchObject({
    name: 'ValidationError',
    attempts: 0,
    mayHaveCharged: false,
    errors: {
      recipient: expect.stringContaining('leading zeros'),
      amount: 'must be at least 0.01 NGN',
      customer_phne: expect.stringMatching(/^is not a parameter of this call.*; the parameters are /),
    },
  });
  expect(sent).toHaveLength(0);
});

describe('request() before anything is sent', () => {
  const refused = async (params: unknown) => {
    const { fetch, sent } = script();
    const error = await rejected(clientWith(fetch).request(Object(params)));
    expect(sent).toHaveLength(0);
    expect(error).toMatchObject({ name: 'ValidationError', operation: 'request', attempts: 0 });
    return error;
  };
  const get = { method: 'GET', path: '/x' };
  const post = { method: 'POST', path: '/x' };
  const round: Record<string, unknown> = {};
  round['self'] = round;

  it.each<[string, unknown, string]>([
    ['a list', [], 'params'],
    ['an unknown name', { ...get, querry: {} }, 'querry'],
    ['no method', { path: '/x' }, 'method'],
    ['a method in small letters', { ...get, method: 'get' }, 'method'],
    ['no path', { method: 'GET' }, 'path'],
    ['a path without its slash', { ...get, path: 'x' }, 'path'],
    ['another origin', { ...get, path: '//elsewhere.test/x' }, 'path'],
    ['a path with its query', { ...get, path: '/x?a=1' }, 'path'],
    ['a way out', { ...get, path: '/x/../../admin' }, 'path'],
    ['a hidden way out', { ...get, path: '/x/%2E%2e/admin' }, 'path'],
    ['a query that is none', { ...get, query: 'a=1' }, 'query'],
    ['a client_id in the query', { ...get, query: { client_id: 'x' } }, 'query'],
    ['an object in the query', { ...get, query: { a: {} } }, 'query'],
    ['a body that is none', { ...post, body: 'a' }, 'body'],
    ['a body with GET', { ...get, body: {} }, 'body'],
    ['a client_id in the body', { ...post, body: { client_id: 'x' } }, 'body'],
    ['an empty key', { ...post, body: { idempotency_key: ' ' } }, 'body'],
    ['a key that was not read', { ...post, body: { idempotency_key: undefined } }, 'body'],
    ['a body that bites its tail', { ...post, body: round }, 'body'],
    ['a body with a BigInt', { ...post, body: { a: 1n } }, 'body'],
  ])('refuses %s', async (_, params, field) => {
    expect(Object.keys(Object(await refused(params)).errors)).toEqual([field]);
  });

  it('refuses everything at once', async () => {
    const error = await refused({ method: 'HEAD', path: 'x', query: 5, body: 5, more: 1 });
    expect(Object.keys(Object(error).errors).sort()).toEqual(['body', 'method', 'more', 'path', 'query']);
  });
});

it('request() sends a query with any method, and leaves out what is undefined', async () => {
  const { fetch, sent } = script(json(200, {}), json(200, {}), json(200, {}));
  const billpay = clientWith(fetch);
  const query = { a: 1, b: undefined, c: false };
  await resolved(billpay.request({ method: 'GET', path: '/x', query }));
  await resolved(billpay.request({ method: 'PUT', path: '/x', query, body: { d: 2 } }));
  await resolved(billpay.request({ method: 'DELETE', path: '/x', query: { b: undefined } }));
  expect(sent.map(({ url }) => url.replace('https://service.test/api/v1', ''))).toEqual([
    '/x?client_id=client-1&a=1&c=false',
    '/x?a=1&c=false',
    '/x',
  ]);
  expect(sent.map(({ bytes }) => bytes && JSON.parse(new TextDecoder().decode(bytes)))).toEqual([
    undefined,
    { client_id: 'client-1', d: 2 },
    { client_id: 'client-1' },
  ]);
});

it('request() lets a public key read what it may, and nothing else', async () => {
  const { fetch, sent } = script(json(200, {}), json(200, {}), json(200, {}));
  const billpay = clientWith(fetch, { apiKey: 'pk_test_1' });
  await resolved(billpay.request({ method: 'GET', path: '/data/variations' }));
  await resolved(billpay.request({ method: 'POST', path: '/tv/validate', body: {} }));
  for (const call of [
    { method: 'POST', path: '/airtime/purchase' },
    { method: 'POST', path: '/anything' },
    { method: 'DELETE', path: '/data/products' },
    { method: 'GET', path: '/transactions/status' },
  ] as const) {
    expect(await rejected(billpay.request(call))).toMatchObject({
      name: 'PermissionError',
      attempts: 0,
      message: expect.stringContaining(`request ${call.method} ${call.path} needs a secret key`),
    });
  }
  expect(sent).toHaveLength(2);
});
