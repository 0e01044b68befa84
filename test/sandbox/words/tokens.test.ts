import { expect, test } from 'vitest';
import { covered, coverTokens } from '../../../src/sandbox/words/tokens.js';

test('covers tokens and secrets at any depth, and nothing else', () => {
  const response = {
    status: 'success',
    token: '1234-5678-9012-3456',
    data: [{ token: '48210937', amount: 500 }, { secret: 'whsec_abcdefghijklmnop' }, null, 'token'],
  };
  expect(coverTokens(response)).toEqual({
    status: 'success',
    token: covered,
    data: [{ token: covered, amount: 500 }, { secret: covered }, null, 'token'],
  });
  expect(response.token).toBe('1234-5678-9012-3456');
});

test.each([null, undefined, 7, 'text', { token: null }, { token: 7 }, []])('leaves %j as it is', (value) => {
  expect(coverTokens(value)).toEqual(value);
});
