import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stream } from '../../../src/sandbox/console/stream.js';
import { createSandbox } from '../../../src/sandbox/index.js';

/** A response whose buffer every view overflows, and which drains a moment later, as a socket does. */
class FullResponse extends EventEmitter {
  readonly views: string[] = [];

  write(text: string): boolean {
    if (!text.startsWith('data: ')) return true;
    this.views.push(text);
    setTimeout(() => this.emit('drain'), 1);
    return false;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a view larger than the buffer is sent once, and again only after a change', async () => {
  const sandbox = createSandbox();
  const response = new FullResponse();
  stream(sandbox, response as unknown as ServerResponse, 'http://sandbox', undefined);
  await vi.advanceTimersByTimeAsync(5000);
  expect(response.views).toHaveLength(1);

  sandbox.client().fund(1);
  sandbox.client().fund(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(response.views).toHaveLength(2);
  expect(response.views[1]).toContain('100,003.00');

  response.emit('close');
  sandbox.client().fund(3);
  await vi.advanceTimersByTimeAsync(5000);
  expect(response.views).toHaveLength(2);
});

test('a change while the buffer is full is sent when it has drained', async () => {
  const sandbox = createSandbox();
  const response = new FullResponse();
  stream(sandbox, response as unknown as ServerResponse, 'http://sandbox', undefined);
  sandbox.client().fund(5);
  await vi.advanceTimersByTimeAsync(5000);
  expect(response.views).toHaveLength(2);
  expect(response.views[1]).toContain('100,005.00');
});
