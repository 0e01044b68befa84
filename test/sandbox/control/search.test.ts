import { expect, test } from 'vitest';
import { matching, type Searchable, search } from '../../../src/sandbox/control/filters.js';
import { createSandbox } from '../../../src/sandbox/index.js';

const sandbox = createSandbox();
const filters = { q: search('anywhere', (one: Searchable) => one) };
const searchFor = (q: string | undefined) => matching(filters, { q }, sandbox);

const transaction = {
  texts: ['TXN-3XYX0DAWC1DZYHY8', 'order-7', 'data', 'MTN', 'MTN-2GB-1D'],
  recipient: '08031490000',
  amount: 1500,
};

test.each([
  undefined,
  '',
  '  ',
  'txn-3xyx',
  'order-7',
  '0803 149',
  '0803-149',
  '(0803)149',
  '+2348031490000',
  '+234 803 149',
  '2348031490000',
  '8031490000',
  '2gb',
  'mtn-2gb-1d',
  'mtn 0803',
  '0803 DATA',
  '1500',
  '1,500',
  '1,500.00',
  'NGN 1,500.00',
  'ngn1500',
  '₦1500',
])('%j finds it', (text) => {
  expect(searchFor(text)(transaction)).toBe(true);
});

test.each(['order-8', 'mtn 0805', '150', '15', '+2348031490001', 'ngn 20', '1500.01', '-'])(
  '%j does not find it',
  (text) => {
    expect(
      searchFor(text)({ ...transaction, texts: transaction.texts.map((part) => part.replaceAll('-', '')) }),
    ).toBe(false);
  },
);

test('a number that was stored with the code of the country is found with its zero', () => {
  const abroad = { texts: [], recipient: '+234 803 149 0000' };
  expect(searchFor('0803149')(abroad)).toBe(true);
  expect(searchFor('+234803')(abroad)).toBe(true);
  expect(searchFor('0803150')(abroad)).toBe(false);
});

test('an item without recipient and amount is found by its texts alone', () => {
  expect(searchFor('abc 1')({ texts: ['abc', '1', null, undefined] })).toBe(true);
  expect(searchFor('500')({ texts: ['abc'], recipient: null, amount: null })).toBe(false);
});
