import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/base.js';
import * as kinds from '../../src/validation/options.js';
import {
  type OptionSchema,
  optional,
  optionsOf,
  parseOptions,
  withDefault,
} from '../../src/validation/options.js';
import { headers } from '../../src/validation/request-options.js';

const failure = (run: () => unknown): ConfigurationError => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

const owner = 'redisDedupe';
const schema = optionsOf({
  lease: withDefault(kinds.ms(), 60_000),
  keep: optional(kinds.wholeNumber(1, 9)),
  prefix: optional(kinds.text()),
  on: optional(optionsOf({ settled: optional(kinds.fn(' that takes one event')) })),
  client: optional(optionsOf({ apiKey: kinds.text(), logger: optional(kinds.logger(['warn'])) })),
});
const refusal = (given: unknown, path?: string) =>
  failure(() => parseOptions(schema, given, { owner, path }));

describe('parseOptions', () => {
  it('fills in the defaults, also for options that are undefined', () => {
    expect(parseOptions(schema, undefined, { owner })).toEqual({ lease: 60_000 });
    const none = { lease: undefined, keep: undefined, prefix: undefined, on: undefined, client: undefined };
    expect(parseOptions(schema, none, { owner })).toMatchObject({ lease: 60_000 });
  });

  it.each([null, 'lease', 7, () => {}])('refuses %s for options, and shows what to pass', (given) => {
    expect(refusal(given)).toMatchObject({
      code: 'CONFIGURATION',
      option: 'options',
      message: expect.stringContaining('options: must be an object, such as { lease, keep, prefix }; got '),
    });
  });

  it.each([{ lease: 1, kep: 2 }, Object.create({ kep: 2 }), { kep: 2, lease: 0 }, { kep: undefined }])(
    'names a misspelt option before all else: %j',
    (given) => {
      expect(refusal(given)).toMatchObject({
        option: 'kep',
        message:
          'kep: is not an option of redisDedupe (did you mean keep?); the options are lease, keep, prefix, on, client',
      });
    },
  );

  it('names the path of an option inside another', () => {
    expect(refusal({ on: { setled() {} } }).message).toBe(
      'on.setled: is not an option of redisDedupe (did you mean settled?); the options are settled',
    );
    expect(refusal({ on: { settled: 1 } }).message).toBe(
      'on.settled: must be a function that takes one event; got 1',
    );
    expect(refusal({ client: { apiKye: 'sk_b' } }).option).toBe('client.apiKye');
    expect(refusal({ client: {} }).message).toBe(
      'client.apiKey: is missing: it must be a string that is not empty',
    );
    expect(refusal({ on: null }).message).toBe('on: must be an object, such as { settled }; got null');
    expect(refusal({ keep: 10 }, 'stores[2]').option).toBe('stores[2].keep');
  });

  it('shows numbers, true, false and null, and no other value', () => {
    expect(refusal({ keep: 10 }).message).toBe(
      'keep: must be a whole number of at least 1 and at most 9; got 10',
    );
    expect(refusal({ keep: 'sk_live_x' }).message).toMatch(/; got a value of type string$/);
    expect(refusal({ prefix: ['sk_live_x'] }).message).toMatch(/; got a list$/);
  });

  it('reads each option once, and inherited ones too', () => {
    const reads: string[] = [];
    const counting = (target: object) =>
      new Proxy(target, {
        get: (from, name) => {
          reads.push(String(name));
          return Reflect.get(from, name);
        },
      });
    const given = counting(Object.create({ lease: 5, keep: 2, client: counting({ apiKey: 'sk_a' }) }));
    expect(parseOptions(schema, given, { owner })).toEqual({
      lease: 5,
      keep: 2,
      client: { apiKey: 'sk_a' },
    });
    expect(reads.filter((name) => ['lease', 'keep', 'client', 'apiKey'].includes(name)).sort()).toEqual([
      'apiKey',
      'client',
      'keep',
      'lease',
    ]);
  });

  it('says which function could not read an option whose getter throws', () => {
    const given = {
      get lease() {
        throw new Error('the vault is closed');
      },
    };
    expect(refusal(given)).toMatchObject({
      option: 'options',
      message: 'options: could not be read by redisDedupe: one of them threw when it was read',
      cause: expect.objectContaining({ message: 'the vault is closed' }),
    });
  });
});

describe('the kinds of options', () => {
  const accepted = (kind: OptionSchema, value: unknown) =>
    parseOptions(optionsOf({ it: kind }), { it: value }, { owner }).it;
  const message = (kind: OptionSchema, value: unknown) => failure(() => accepted(kind, value)).message;

  it('keep instances of classes as they are', () => {
    class Store {
      #open = true;
      begin() {
        return this.#open;
      }
    }
    const store = new Store();
    expect(accepted(kinds.withMethods(['begin'], 'must be a store'), store)).toBe(store);
    expect(message(kinds.withMethods(['begin', 'done'], 'must be a store'), store)).toBe(
      'it: must be a store; this one lacks done',
    );
    expect(message(kinds.withMethods(['begin'], 'must be a store'), undefined)).toBe(
      'it: is missing: it must be a store',
    );
    expect(message(kinds.withMethods(['begin'], 'must be a store'), 'redis')).toBe(
      'it: must be a store; got a value of type string',
    );
  });

  it('accept a signal of another realm, and not a controller', () => {
    const foreign: unknown = runInNewContext(
      'Object.assign(Object.create({ addEventListener() {} }), { aborted: false })',
    );
    for (const signal of [AbortSignal.abort(), foreign])
      expect(accepted(kinds.signal(), signal)).toBe(signal);
    expect(message(kinds.signal(), new AbortController())).toContain('pass controller.signal');
  });

  it.each<[OptionSchema, unknown[], unknown[]]>([
    [kinds.ms(), [0.5, 1, 2 ** 31 - 1], [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null]],
    [kinds.wholeNumber(2), [2, 3, 2 ** 53 - 1], [1, 0, 2.5, 2 ** 53, Number.NaN, '2', 2n, null, {}]],
    [kinds.flag(), [true, false], [0, 1, 'true', null]],
    [kinds.text(), ['a', ' '], ['', 5, null, {}]],
    [kinds.oneOf(['real', 'manual']), ['real'], ['Real', '', null, 1]],
    [kinds.fn(), [() => {}, class {}], [{}, 'f', null]],
    [headers(), [{}], [null, [], 'a: b', { authorization: 'x' }, { a: 1 }, { 'a b': 'x' }, { a: 'x\ny' }]],
  ])('accept what they say and refuse the rest (%#)', (kind, right, wrong) => {
    for (const value of right) expect(accepted(kind, value)).toEqual(value);
    for (const value of [...wrong, undefined])
      expect(message(kind, value)).toMatch(/^it: (is missing|must|contains)/);
  });
});
