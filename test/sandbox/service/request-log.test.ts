import { expect, test } from 'vitest';
import { RequestLog, type SandboxRequest } from '../../../src/sandbox/service/request-log.js';

const requestOf = (id: number): SandboxRequest => Object({ id });

test('the log keeps the last 10,000 requests, and fewer where their bodies are large', () => {
  const log = new RequestLog();
  for (let n = 0; n < 20_000; n++) log.add(requestOf(log.nextId()), 100);
  expect(log.list).toHaveLength(10_000);
  expect(log.get(10_001)).toEqual({ id: 10_001 });
  for (let n = 0; n < 40; n++) log.add(requestOf(log.nextId()), 1024 * 1024);
  expect(log.list.length).toBeLessThanOrEqual(16);
  expect(log.list.at(-1)).toEqual({ id: 20_040 });
  expect(log.get(20_040)).toEqual({ id: 20_040 });
});
