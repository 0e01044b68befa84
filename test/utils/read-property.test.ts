import { describe, expect, it } from 'vitest';
import { readProperty } from '../../src/utils/read-property.js';

describe('readProperty', () => {
  it('reads own and inherited properties of any value', () => {
    expect(readProperty({ a: 1 }, 'a')).toBe(1);
    expect(readProperty(Object.create({ a: 1 }), 'a')).toBe(1);
    expect(readProperty('text', 'length')).toBe(4);
    expect(readProperty(new Error('x'), 'message')).toBe('x');
  });

  it.each([null, undefined, 5, {}])('gives undefined where there is none: %j', (value) => {
    expect(readProperty(value, 'a')).toBeUndefined();
  });

  it('gives undefined where reading throws', () => {
    const fail = () => {
      throw new Error('a getter');
    };
    expect(readProperty(Object.defineProperty({}, 'a', { get: fail }), 'a')).toBeUndefined();
    expect(readProperty(new Proxy({}, { get: fail }), 'a')).toBeUndefined();
  });
});
