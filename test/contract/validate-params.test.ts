import { expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { validateParams } from '../../src/contract/validate-params.js';

const { paramsSchema } = operations['data.products'];

it('reports parameters that throw when they are read', () => {
  const params = {
    get biller(): string {
      throw new Error('no');
    },
  };
  expect(validateParams(paramsSchema, params)).toEqual({
    ok: false,
    errors: { params: 'could not be read: one of its fields throws' },
  });
});

it.each([null, 'MTN', ['MTN']])('reports %j in place of an object', (params) => {
  expect(validateParams(paramsSchema, params)).toEqual({
    ok: false,
    errors: { params: 'must be an object with the fields of this call' },
  });
});
