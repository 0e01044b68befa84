import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { jsonOfParams, readParams } from '../../src/contract/read-params.js';

const { paramsSchema } = operations['data.products'];

it('reports parameters that throw when they are read', () => {
  const params = {
    get biller(): string {
      throw new Error('no');
    },
  };
  expect(readParams(paramsSchema, params)).toEqual({
    ok: false,
    errors: { params: 'could not be read: one of its fields throws' },
  });
});

it.each([null, 'MTN', ['MTN']])('reports %j in place of an object', (params) => {
  expect(readParams(paramsSchema, params)).toEqual({
    ok: false,
    errors: { params: 'must be an object with the fields of this call' },
  });
});

describe('reads the caller’s object once', () => {
  const { paramsSchema: purchaseSchema } = operations['airtime.purchase'];
  const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 };

  it('each field once, however often a getter would return another value', () => {
    const reads: string[] = [];
    const counting = new Proxy(airtime, {
      get: (target, name) => {
        reads.push(String(name));
        return Reflect.get(target, name);
      },
    });
    expect(readParams(purchaseSchema, counting)).toEqual({ ok: true, params: airtime });
    expect(reads.sort()).toEqual(['amount', 'biller', 'idempotency_key', 'recipient']);
  });

  it('and neither an inherited toJSON nor a later change reaches the copy', () => {
    class Sale {
      biller = 'MTN';
      recipient = '08031234567';
      amount = 500;
      toJSON() {
        return { ...this, recipient: '0803****567' };
      }
    }
    const sale = new Sale();
    const read = readParams(purchaseSchema, sale);
    sale.amount = 50_000;
    expect(read).toEqual({ ok: true, params: airtime });
    expect(JSON.parse(JSON.stringify(Object(read).params))).toEqual(airtime);
  });

  it('with the accessors of a class, private fields included', () => {
    class Sale {
      biller = 'MTN';
      amount = 500;
      #recipient = '08031234567';
      get recipient() {
        return this.#recipient;
      }
    }
    expect(readParams(purchaseSchema, new Sale())).toEqual({ ok: true, params: airtime });
  });
});

describe('jsonOfParams', () => {
  it('writes what was checked, whatever toJSON a library has added to all objects', () => {
    const fields = { biller: 'MTN', amount: 500.5, enabled: true, customer_phone: undefined };
    expect(jsonOfParams(fields)).toBe('{"biller":"MTN","amount":500.5,"enabled":true}');
    Object.defineProperty(Object.prototype, 'toJSON', { value: () => 'masked', configurable: true });
    try {
      expect(jsonOfParams(fields)).toBe('{"biller":"MTN","amount":500.5,"enabled":true}');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'toJSON');
    }
  });

  it('is the JSON of its fields, for any text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.double(), fc.boolean())), (fields) => {
        expect(jsonOfParams(fields)).toBe(JSON.stringify(fields));
      }),
    );
  });
});

it('lists 20 unknown names and counts the others', () => {
  const names = Array.from({ length: 100_000 }, (_, n) => [`biler${n}`, n]);
  const read = readParams(paramsSchema, { biller: 'MTN', ...Object.fromEntries(names) });
  const { errors } = Object(read);
  expect(Object.keys(errors)).toHaveLength(21);
  expect(errors.biler7).toContain('did you mean biller?');
  expect(errors.params).toBe('has 99980 more names that are not parameters of this call: remove them');
});
