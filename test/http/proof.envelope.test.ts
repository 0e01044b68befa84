import { describe, expect, it } from 'vitest';
import { codeOf, errorEnvelope } from '../../src/http/proof.js';
import { isSuccess } from '../../src/http/response.js';
import { isRedirect } from '../../src/http/transport.js';
import { field } from '../../src/utils/field.js';

describe('codeOf', () => {
  it.each<[unknown, string | undefined]>([
    [{ code: 'GATEWAY_ERROR' }, 'GATEWAY_ERROR'],
    [{ code: '' }, undefined],
    [{ code: 409 }, undefined],
    [{}, undefined],
    [null, undefined],
    ['GATEWAY_ERROR', undefined],
  ])('of %j is %j', (json, code) => {
    expect(codeOf(json)).toBe(code);
  });
});

it('field reads own properties of anything, and nothing else', () => {
  expect(field({ a: 1 }, 'a')).toBe(1);
  expect(field(['x'], '0')).toBe('x');
  expect(field({}, 'constructor')).toBeUndefined();
  for (const value of [null, undefined, 'text', 7, () => {}]) expect(field(value, 'length')).toBeUndefined();
});

it.each<[number, boolean, boolean]>([
  [199, false, false],
  [200, true, false],
  [299, true, false],
  [300, false, true],
  [399, false, true],
  [400, false, false],
])('%i: a success %s, a redirect %s', (status, success, redirect) => {
  expect([isSuccess(status), isRedirect(status)]).toEqual([success, redirect]);
});

describe('errorEnvelope', () => {
  const envelope = { status: 'error', code: 'BAD_REQUEST', message: '' };

  it('is what the service documents', () => {
    expect(errorEnvelope({ ...envelope, errors: {}, more: 1 })).toEqual({ code: 'BAD_REQUEST', message: '' });
  });

  it.each<[unknown]>([
    [{ ...envelope, status: 'failed' }],
    [{ ...envelope, status: undefined }],
    [{ ...envelope, code: 400 }],
    [{ ...envelope, message: null }],
    [{ error: envelope }],
    [[envelope]],
    ['error'],
    [null],
    [undefined],
  ])('is not %j', (json) => {
    expect(errorEnvelope(json)).toBeUndefined();
  });
});
