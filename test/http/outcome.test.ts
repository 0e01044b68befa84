import { describe, expect, it } from 'vitest';
import { codeOf, field, isRedirect, isSuccess, isUncharged503 } from '../../src/http/outcome.js';

describe('codeOf', () => {
  it.each<[unknown, string | undefined]>([
    [{ code: 'GATEWAY_ERROR' }, 'GATEWAY_ERROR'],
    [{ code: 'sk_live_abc' }, 'sk_[redacted]'],
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

it('only the two documented 503s are free of charge', () => {
  expect(isUncharged503(503, 'PROVIDER_UNAVAILABLE')).toBe(true);
  expect(isUncharged503(503, 'QUEUE_UNAVAILABLE')).toBe(true);
  expect(isUncharged503(503, 'GATEWAY_ERROR')).toBe(false);
  expect(isUncharged503(503, undefined)).toBe(false);
  expect(isUncharged503(502, 'QUEUE_UNAVAILABLE')).toBe(false);
});
