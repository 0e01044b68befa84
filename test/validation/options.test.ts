import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/configuration-error.js';
import { assertOption, refuseUnknownOptions, wholeNumber } from '../../src/validation/options.js';

const failure = (run: () => unknown): ConfigurationError => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('it was taken');
};

describe('demand', () => {
  it('throws what it was told, and only where the rule is broken', () => {
    expect(() => assertOption(true, 'timeout', 'must be a number')).not.toThrow();
    expect(failure(() => assertOption(false, 'timeout', 'must be a number'))).toMatchObject({
      code: 'CONFIGURATION',
      option: 'timeout',
      message: 'timeout: must be a number',
    });
  });
});

describe('wholeNumber', () => {
  it.each([2, 3, 2 ** 53 - 1])('takes %s where at least 2 is needed', (value) => {
    expect(wholeNumber('max', value, 2)).toBe(value);
  });

  it.each([1, 0, -2, 2.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '2', 2n, null, undefined, {}])(
    'refuses %s',
    (value) => {
      expect(failure(() => wholeNumber('max', value, 2))).toMatchObject({
        option: 'max',
        message: 'max: must be a whole number of at least 2',
      });
    },
  );
});

describe('refuseUnknownOptions', () => {
  const known = ['lease', 'keep', 'prefix', 'max'];

  it.each([[{}], [{ lease: 1, max: undefined }], [Object.create({ keep: 1 })]])('takes %j', (options) => {
    expect(() => refuseUnknownOptions(options, known, 'redisDedupe')).not.toThrow();
  });

  it.each([undefined, null, 'lease', 7, () => {}])(
    'refuses %s for options, and shows how they look',
    (options) => {
      expect(failure(() => refuseUnknownOptions(options, known, 'redisDedupe'))).toMatchObject({
        option: 'options',
        message: 'options: must be an object, such as { lease, keep, prefix }',
      });
    },
  );

  it('names a misspelt one, whose option it is not, and those there are', () => {
    for (const options of [{ lease: 1, kep: 2 }, Object.create({ kep: 2 })]) {
      expect(failure(() => refuseUnknownOptions(options, known, 'redisDedupe'))).toMatchObject({
        option: 'kep',
        message: 'kep: is not an option of redisDedupe; the options are lease, keep, prefix, max',
      });
    }
  });
});
