import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { ApiCallPromise } from '../../src/http/api-call.js';
import type { Success } from '../../src/http/loop.js';
import { clientOf, rejectionOf, useWire, valid } from '../support/wire.js';

const wire = useWire();
const products = () => clientOf().data.products({ biller: 'MTN' });
const catalogue = { biller: valid.catalogue.biller, products: valid.catalogue.products };

/** A call that ends as told, without a client around it. */
const callOf = (end: Promise<Success>) => new ApiCallPromise(end);
const resultOf = (data: unknown, statusText = ''): Success => ({
  data,
  response: {
    kind: 'response',
    status: 200,
    statusText,
    headers: new Headers(),
    text: '{}',
    json: {},
    url: 'https://service.test/',
  },
  attempts: 1,
});

describe('a call', () => {
  it('is a promise, whose then, catch and finally give ordinary promises', async () => {
    const call = callOf(Promise.resolve(resultOf('data')));
    expect(call).toBeInstanceOf(Promise);
    expect(call).toBeInstanceOf(ApiCallPromise);
    for (const derived of [call.then(), call.catch(() => {}), call.finally(() => {})]) {
      expect(Object.getPrototypeOf(derived)).toBe(Promise.prototype);
      expect(await derived).toBe('data');
    }
  });

  it('resolves with the data, for await and for all', async () => {
    wire.respond('data.products', { body: valid.catalogue });
    expect(await products()).toEqual(catalogue);
    expect(await Promise.all([products(), products()])).toEqual([catalogue, catalogue]);
    expect(await products().then(({ biller }) => biller)).toBe('MTN');
    expect(wire.sent).toHaveLength(4);
  });

  it('is sent once, however often it is asked', async () => {
    const call = products();
    await Promise.all([call, call, call.withResponse(), call.withResponse(), call.then()]);
    expect(wire.sent).toHaveLength(1);
  });

  it('rejects alike in every form', async () => {
    wire.respond('data.products', { status: 500, body: {} });
    const call = products();
    const errors = await Promise.all(
      [call, call.withResponse(), call.then(), call.finally(() => {})].map(rejectionOf),
    );
    expect(new Set(errors).size).toBe(1);
    expect(errors[0]).toMatchObject({ name: 'ServerError', attempts: 1 });
  });

  it('never throws where it is made', async () => {
    const make = () => clientOf().airtime.purchase({ biller: '', recipient: '', amount: -1 });
    let call: PromiseLike<unknown> | undefined;
    expect(() => {
      call = make();
    }).not.toThrow();
    expect(await rejectionOf(call!)).toMatchObject({ name: 'ValidationError' });
  });
});

it('what is no error of this package is passed on as it was thrown', async () => {
  const thrown = new TypeError('randomUUID needs a secure context');
  const randomUUID = vi.spyOn(crypto, 'randomUUID').mockImplementation(() => {
    throw thrown;
  });
  const call = clientOf().airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });
  expect(await rejectionOf(call)).toBe(thrown);
  expect(Object.keys(thrown)).toEqual([]);
  randomUUID.mockRestore();
});

describe('withResponse', () => {
  it('hands over a body that can still be read, once for each who asks', async () => {
    wire.respond('data.products', { status: 200, body: valid.catalogue, headers: { 'X-Request-Id': 'r-9' } });
    const call = products();
    const first = await call.withResponse();
    expect(first.response).toBe(first.response);
    expect(first.response).toBeInstanceOf(Response);
    expect(first.response.bodyUsed).toBe(false);
    expect(await first.response.clone().text()).toBe(JSON.stringify(valid.catalogue));
    expect(await first.response.json()).toEqual(valid.catalogue);
    expect(first.response.ok).toBe(true);
    expect(Object.keys(first).toSorted()).toEqual(['attempts', 'data', 'response']);
  });

  it.each([
    ['Not\tFound', 'Not\tFound'],
    ['caf\xe9', 'caf\xe9'],
    ['€ paid', ''],
    ['paid €', ''],
  ])('has the status text that came, unless no Response may have it: %j', async (came, kept) => {
    const { response } = await callOf(Promise.resolve(resultOf({}, came))).withResponse();
    expect(response.statusText).toBe(kept);
  });
});

describe('what is printed of a call', () => {
  it('is not what it resolved to, which may hold a secret', async () => {
    const call = callOf(Promise.resolve(resultOf({ secret: 'whsec_m2pZr8TqYw' })));
    expect(inspect(call)).toBe('ApiCall [Promise]');
    await call;
    expect(inspect(call)).toBe('ApiCall [Promise]');
    expect(inspect({ call }, { depth: 9, showHidden: true })).not.toContain('whsec_');
    expect(JSON.stringify(call)).toBe('{}');
  });
});

describe('a rejection that nobody handles', () => {
  it('is reported by the runtime once, and one that is handled never', async () => {
    const script = fileURLToPath(new URL('../support/rejections.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    expect(JSON.parse(stdout)).toEqual({
      ignored: 1,
      'refused locally and ignored': 1,
      'caught with catch': 0,
      'caught with then': 0,
      awaited: 0,
      'withResponse ignored': 1,
      'withResponse caught': 0,
      'withResponse of a refused call caught': 0,
      'both caught': 0,
      'withResponse caught, later': 0,
      'then ignored': 1,
      'finally caught': 0,
      'waitUntilSettled ignored': 1,
    });
  });
});
