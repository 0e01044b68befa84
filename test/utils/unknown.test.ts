import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isError, nameOfThrown } from '../../src/utils/unknown.js';

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe('isError', () => {
  it.each<[string, unknown]>([
    ['an error', new TypeError('x')],
    ['an error of another realm', runInNewContext("new TypeError('x')")],
    ['a DOMException', new DOMException('x', 'AbortError')],
  ])('knows %s', (_, value) => {
    expect(isError(value)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a plain object', { name: 'Error', message: 'x' }],
    ['a text', 'Error'],
    ['nothing', undefined],
    ['a revoked proxy', revoked()],
  ])('refuses %s', (_, value) => {
    expect(isError(value)).toBe(false);
  });
});

describe('nameOfThrown', () => {
  const fail = () => {
    throw new Error('a getter');
  };

  it.each<[string, unknown, string]>([
    ['an error', new TypeError('x'), 'TypeError'],
    ['an error with a name of its own', Object.assign(new Error('x'), { name: 'ShopError' }), 'ShopError'],
    ['an error whose name is no text', Object.assign(new Error('x'), { name: 5 }), 'Error'],
    ['an error whose name throws', Object.defineProperty(new Error('x'), 'name', { get: fail }), 'Error'],
    ['text', 'x', 'string'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'object'],
    ['a proxy whose traps throw', new Proxy({}, { get: fail, getPrototypeOf: fail }), 'object'],
  ])('of %s', (_, thrown, name) => {
    expect(nameOfThrown(thrown)).toBe(name);
  });
});
