import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wait } from '../../src/utils/wait.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('wait', () => {
  it('ends when its time is over, and not before', async () => {
    const ended = vi.fn();
    void wait(1000, undefined).then(ended);
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const waiting = wait(1000, signal);
    expect(listeners(signal)).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    await waiting;
    expect(listeners(signal)).toBe(0);
  });

  it('ends at once on an abort, and leaves neither timer nor listener', async () => {
    const controller = new AbortController();
    const waiting = wait(1000, controller.signal);
    controller.abort();
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('is not begun where the signal has been aborted', async () => {
    const signal = AbortSignal.abort();
    await wait(1000, signal);
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners(signal)).toBe(0);
  });
});
