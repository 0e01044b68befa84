import { expect, test } from 'vitest';
import { RequestLog, type SandboxRequest } from '../../../src/sandbox/records/request-log.js';

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

test('the requests of a transaction are found by its reference and by its key, until they are dropped', () => {
  const log = new RequestLog();
  const add = (fields: Partial<SandboxRequest>) => {
    const request: SandboxRequest = Object({ id: log.nextId(), clientId: 'a', ...fields });
    log.add(request, 0);
    return request;
  };
  const sale = { reference: 'TXN-1', clientId: 'a', idempotency_key: 'order' };
  const refused = add({ idempotency_key: 'order' });
  const accepted = add({ ...sale });
  add({ idempotency_key: 'order', clientId: 'b' });
  add({ idempotency_key: 'other' });
  const lookup = add({ reference: 'TXN-1' });
  expect(log.of(sale)).toEqual([refused, accepted, lookup]);
  while (log.list.length > 10) add({});
  for (let n = 0; n < 20_000; n++) add({});
  expect(log.of(sale)).toEqual([]);
});
