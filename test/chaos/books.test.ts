import { expect, it } from 'vitest';
import { type CallEnd, type History, problemsIn } from './purchases/books.js';

const charge = { recipient: '0803', idempotency_key: 'key-1', reference: 'TXN-1' };
const sold: CallEnd = { is: 'sold', key: 'key-1', reference: 'TXN-1' };
const doubtful: CallEnd = { is: 'doubtful', key: 'key-1', error: 'TimeoutError' };
const refused: CallEnd = { is: 'refused', key: 'key-1', error: 'InsufficientBalanceError' };
const history = (...ends: CallEnd[]): History => ({ order: 'order-1', recipient: '0803', ends });

it.each<[string, CallEnd[], (typeof charge)[]]>([
  ['a purchase and its reference', [sold], [charge]],
  ['a doubtful purchase that was charged', [doubtful], [charge]],
  ['a doubtful purchase that was not', [doubtful], []],
  ['a doubtful purchase whose repeats stayed doubtful', [doubtful, doubtful], [charge]],
  ['a doubtful purchase that was resumed', [doubtful, sold], [charge]],
  ['a refusal', [refused], []],
])('finds nothing wrong with %s', (_, ends, charges) => {
  expect(problemsIn([history(...ends)], charges)).toEqual([]);
});

it.each<[string, CallEnd[], (typeof charge)[], string]>([
  ['a key charged twice', [sold], [charge, { ...charge, reference: 'TXN-2' }], 'key-1 was charged twice'],
  [
    'an order charged under two keys',
    [doubtful, sold],
    [charge, { ...charge, idempotency_key: 'key-2', reference: 'TXN-2' }],
    'charged 2 times',
  ],
  ['a charge behind a refusal', [refused], [charge], 'reported that it was not'],
  ['a charge whose key is lost', [{ ...doubtful, key: undefined }], [charge], 'does not hold the key'],
  ['a reference of no charge', [sold], [], 'holds TXN-1'],
  ['a wrong reference', [{ ...sold, reference: 'TXN-9' }], [charge], 'holds TXN-9'],
  ['a wrong key', [{ ...sold, key: 'key-9' }], [charge], 'holds the key key-9'],
  [
    'a doubt that a later call denies',
    [doubtful, refused],
    [],
    'was doubtful, and then its call reported that nothing was charged',
  ],
  ['a charge that a later call denies', [doubtful, refused], [charge], 'reported that it was not'],
  [
    'a purchase that was taken for another one',
    [{ ...doubtful, error: 'IdempotencyKeyReusedError' }],
    [charge],
    'was taken for another purchase',
  ],
  ['a charge that nobody ordered', [refused], [{ ...charge, recipient: '0999' }], 'nobody ordered'],
  ['an error of no class', [{ is: 'untyped', key: undefined, error: 'TypeError' }], [], 'ended in TypeError'],
])('finds %s', (_, ends, charges, problem) => {
  expect(problemsIn([history(...ends)], charges).join()).toContain(problem);
});
