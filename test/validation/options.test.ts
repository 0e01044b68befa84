import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/configuration-error.js';
import {
  checkedLater,
  checkOptions,
  functionRule,
  methodsRule,
  pathText,
  type Rules,
  wholeNumberRule,
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

describe('wholeNumberRule', () => {
  it('takes every safe whole number where there is no limit', () => {
    expect(wholeNumberRule(2)(Number.MAX_SAFE_INTEGER)).toBeUndefined();
    expect(wholeNumberRule(2)(2 ** 53)).toBe('must be a whole number of at least 2; got 9007199254740992');
  });

  it.each<[unknown, string]>([
    [1, '1'],
    [10, '10'],
    [-2, '-2'],
    [2.5, '2.5'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [null, 'null'],
    [true, 'true'],
    ['2', 'a value of type string'],
    [2n, 'a value of type bigint'],
    [{}, 'a value of type object'],
    [[2], 'a list'],
  ])('refuses %s', (value, shown) => {
    expect(wholeNumberRule(2, 9)(value)).toBe(
      `must be a whole number of at least 2 and at most 9; got ${shown}`,
    );
  });
});

describe('checkOptions', () => {
  interface Options {
    lease?: number | undefined;
    keep?: number | undefined;
    prefix?: string | undefined;
    on?: (() => void) | undefined;
  }
  const known: Rules<Options> = {
    lease: wholeNumberRule(1),
    keep: wholeNumberRule(1),
    prefix: checkedLater,
    on: functionRule(' of nothing'),
  };
  const check = (options: unknown, path?: string) =>
    checkOptions(options as Options, known, 'redisDedupe', path);

  it('returns a copy, each option read once', () => {
    let reads = 0;
    const given = {
      get lease() {
        reads += 1;
        return reads;
      },
    };
    expect(check(given)).toEqual({ lease: 1 });
    expect(check(Object.create({ keep: 1 }))).toEqual({ keep: 1 });
  });

  it.each([undefined, null, 'lease', 7, () => {}])(
    'refuses %s for options, and shows what to pass',
    (given) => {
      expect(failure(() => check(given))).toMatchObject({
        option: 'options',
        message: expect.stringContaining('must be an object, such as { lease, keep, prefix }'),
      });
    },
  );

  it('names a misspelt one before all else, whose option it is not, and those there are', () => {
    for (const options of [{ lease: 0, kep: 2 }, Object.create({ kep: 2 }), { kep: undefined }]) {
      expect(failure(() => check(options))).toMatchObject({
        option: 'kep',
        message:
          'kep: is not an option of redisDedupe (did you mean keep?); the options are lease, keep, prefix, on',
      });
    }
  });

  it('names the path of a wrong value', () => {
    expect(failure(() => check({ on: 7 }, 'stores[2]')).message).toBe(
      'stores[2].on: must be a function of nothing; got 7',
    );
    expect(pathText('on', ['transaction.failed'])).toBe("on['transaction.failed']");
    expect(pathText('', ['clients', 0, 'apiKey'])).toBe('clients[0].apiKey');
  });
});

describe('methodsRule', () => {
  const logger = methodsRule(['warn', 'error'], 'must be a logger, such as console');

  it('takes an object with the methods, inherited ones too', () => {
    expect(logger(Object.create(console))).toBeUndefined();
  });

  it.each([{}, { warn: true }, Object.create(null)])('refuses %j, and names what is missing', (value) => {
    expect(logger(value)).toBe('must be a logger, such as console; this one lacks warn, error');
  });

  it('refuses what is no object', () => {
    expect(logger('console')).toBe('must be a logger, such as console; got a value of type string');
    expect(logger(undefined)).toBe('is missing: it must be a logger, such as console');
  });
});
