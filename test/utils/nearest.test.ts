import { describe, expect, it } from 'vitest';
import { didYouMean, nearestName, suggestion } from '../../src/utils/nearest.js';

const fields = ['biller', 'recipient', 'amount', 'product_code', 'customer_phone', 'idempotency_key'];
const options = ['apiKey', 'clientId', 'timeout', 'totalTimeout', 'maxRetries', 'fetch', 'headers'];

describe('nearestName', () => {
  it.each([
    ['idempotencyKey', 'idempotency_key', fields],
    ['idempotncy_key', 'idempotency_key', fields],
    ['reciepient', 'recipient', fields],
    ['amuont', 'amount', fields],
    ['productCode', 'product_code', fields],
    ['phone', undefined, fields],
    ['apikey', 'apiKey', options],
    ['maxRetry', 'maxRetries', options],
    ['retries', 'maxRetries', options],
    ['proxy', undefined, options],
    ['constructor', undefined, options],
    ['', undefined, options],
    ['x', undefined, ['max']],
    ['mx', 'max', ['max']],
    ['kepe', 'keep', ['keep']],
    ['eekp', undefined, ['keep']],
    ['anything', undefined, []],
  ])('%j is meant for %j', (name, meant, known) => {
    expect(nearestName(name, known)).toBe(meant);
  });

  it('prefers the closest, and of equals the first', () => {
    expect(nearestName('timeouts', ['totalTimeout', 'timeout'])).toBe('timeout');
    expect(nearestName('kee', ['keep', 'keen'])).toBe('keep');
  });

  it('does not compare what is longer than any name', () => {
    expect(nearestName('a'.repeat(64), ['a'.repeat(63)])).toBe('a'.repeat(63));
    expect(nearestName('a'.repeat(65), ['a'.repeat(64)])).toBeUndefined();
  });
});

it('a misspelt name is answered with the nearest one', () => {
  expect(didYouMean('liten', ['listen', 'audit'])).toBe(' (did you mean listen?)');
  expect(didYouMean('something-else', ['listen', 'audit'])).toBe('');
  expect(suggestion('liten', ['listen', 'audit'])).toBe(
    ' (did you mean listen?); the options are listen, audit',
  );
  expect(suggestion('x', ['listen'], 'parameters')).toBe('; the parameters are listen');
});
