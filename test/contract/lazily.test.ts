import { expect, it } from 'vitest';
import { lazily } from '../../src/contract/lazily.js';

it('makes at the first asking, and once', () => {
  let made = 0;
  const get = lazily(() => ({ number: ++made }));
  expect(made).toBe(0);
  const first = get();
  expect(first).toEqual({ number: 1 });
  expect(get()).toBe(first);
  expect(made).toBe(1);
});
