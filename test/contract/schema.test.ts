import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { fieldNames, number } from '../../src/contract/schema.js';

describe('fieldNames', () => {
  it('are those of an object’s schema, and none of any other', () => {
    expect(fieldNames(operations['tv.purchase'].paramsSchema)).toEqual([
      'biller',
      'recipient',
      'product_code',
      'amount',
      'customer_phone',
      'idempotency_key',
    ]);
    expect(fieldNames(operations['transactions.status'].paramsSchema)).toEqual(['reference']);
    expect(fieldNames(number())).toEqual([]);
  });
});
