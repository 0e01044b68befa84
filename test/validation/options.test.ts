import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/configuration-error.js';
import {
  assertOption,
  checkMethods,
  refuseUnknownOptions,
  wholeNumber,
} from '../../src/validation/options.js';

const failure = (run: () => unknown): ConfigurationError => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('it was taken');
};

describe('assertOption', () => {
  it('throws what it was given, and only when the condition does not hold', () => {
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

  it.each<[unknown, string]>([
    [1, '1'],
    [0, '0'],
    [-2, '-2'],
    [2.5, '2.5'],
    [2 ** 53, '9007199254740992'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [null, 'null'],
    ['2', 'a value of type string'],
    [2n, 'a value of type bigint'],
    [undefined, 'a value of type undefined'],
    [{}, 'a value of type object'],
  ])('refuses %s', (value, shown) => {
    expect(failure(() => wholeNumber('max', value, 2))).toMatchObject({
      option: 'max',
      message: `max: must be a whole number of at least 2; got ${shown}`,
    });
  });
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
        message:
          'kep: is not an option of redisDedupe (did you mean keep?); the options are lease, keep, prefix, max',
      });
    }
  });

  it('suggests nothing where no name is close', () => {
    expect(failure(() => refuseUnknownOptions({ concurrency: 2 }, known, 'redisDedupe')).message).toBe(
      'concurrency: is not an option of redisDedupe; the options are lease, keep, prefix, max',
    );
  });
});

describe('checkMethods', () => {
  it('takes an object with the methods, inherited ones too', () => {
    expect(() => checkMethods('logger', Object.create(console), ['warn', 'error'], '')).not.toThrow();
  });

  it.each([undefined, null, 'text', {}, { warn: true }])('refuses %j, and names what is missing', (value) => {
    expect(
      failure(() => checkMethods('logger', value, ['warn', 'error'], ', as console has them')),
    ).toMatchObject({
      option: 'logger',
      message: 'logger: lacks warn, error, as console has them',
    });
  });
});
