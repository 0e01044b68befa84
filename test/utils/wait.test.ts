import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { onAbort } from '../../src/utils/wait.js';
import { accepted, airtime, clientWith, refusal, script } from '../support/script.js';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

it('has one listener on a signal, however many wait for it, and none when nobody does', () => {
  const { signal } = new AbortController();
  const takeAway = Array.from({ length: 20 }, () => onAbort(signal, () => undefined));
  expect(listenersOf(signal)).toBe(1);
  for (const take of takeAway) take();
  expect(listenersOf(signal)).toBe(0);
  onAbort(signal, () => undefined);
  expect(listenersOf(signal)).toBe(1);
});

it('tells each that waits once, the same function given twice two times, and none that was taken away', () => {
  const controller = new AbortController();
  const [twice, gone, last] = [vi.fn(), vi.fn(), vi.fn()];
  onAbort(controller.signal, twice);
  const take = onAbort(controller.signal, gone);
  onAbort(controller.signal, twice);
  onAbort(controller.signal, last);
  take();
  take();
  controller.abort();
  expect([twice, gone, last].map(({ mock }) => mock.calls.length)).toEqual([2, 0, 1]);
});

describe('a signal that cannot do everything', () => {
  /** As a polyfill or a mock makes them. */
  function fakeSignal(more: object = {}) {
    const listeners: (() => void)[] = [];
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (_: string, listener: () => void) => listeners.push(listener),
      ...more,
    } as unknown as AbortSignal;
    return { signal, listeners };
  }

  it('without removeEventListener keeps the one listener, and calls nothing that was removed', () => {
    const { signal, listeners } = fakeSignal();
    const [first, second] = [vi.fn(), vi.fn()];
    onAbort(signal, first)();
    onAbort(signal, second);
    expect(listeners).toHaveLength(1);
    listeners[0]?.();
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });

  it.each(['addEventListener', 'removeEventListener'])('whose %s throws is no error', (name) => {
    const { signal } = fakeSignal({
      [name]: () => {
        throw new Error('not implemented');
      },
    });
    expect(() => onAbort(signal, () => undefined)()).not.toThrow();
  });

  it('is taken by a call, which settles', async () => {
    const { signal } = fakeSignal();
    const { fetch } = script(refusal(503, 'QUEUE_UNAVAILABLE'), accepted());
    const purchase = await clientWith(fetch, { maxRetries: 1 }).airtime.purchase(airtime, { signal });
    expect(purchase.reference).toBe('TXN-1');
  });
});
