import { expect, test } from 'vitest';
import type { SandboxRequest } from '../../../src/sandbox/records/objects.js';
import { RequestLog } from '../../../src/sandbox/records/request-log.js';

const requestOf = (id: number, fields: Partial<SandboxRequest> = {}): SandboxRequest =>
  Object({ id, path: '/', query: {}, headers: {}, ...fields });

test('the log keeps the last 10,000 requests, and fewer where their bodies are large', () => {
  const log = new RequestLog();
  for (let n = 0; n < 20_000; n++) log.add(requestOf(log.nextId()), 100, 0);
  expect(log.list).toHaveLength(10_000);
  expect(log.get(10_001)).toMatchObject({ id: 10_001 });
  for (let n = 0; n < 40; n++) log.add(requestOf(log.nextId()), 1024 * 1024, 0);
  expect(log.list.length).toBeLessThanOrEqual(16);
  expect(log.list.at(-1)).toMatchObject({ id: 20_040 });
  expect(log.get(20_040)).toMatchObject({ id: 20_040 });
});

test.each([
  ['path', (text: string) => ({ path: `/${text}` })],
  ['query', (text: string) => ({ query: { [text]: text } })],
  ['header', (text: string) => ({ headers: { 'x-long': text } })],
])('the log keeps fewer requests where a %s is large', (_, fields) => {
  const log = new RequestLog();
  for (let n = 0; n < 8000; n++) log.add(requestOf(log.nextId(), fields('x'.repeat(15_000))), 0, 0);
  expect(log.list.length).toBeLessThan(3000);
});

test('requests are in the order in which they arrived, whatever the order in which they end', () => {
  const log = new RequestLog();
  const ids = [log.nextId(), log.nextId(), log.nextId(), log.nextId()];
  for (const at of [2, 0, 3, 1]) log.add(requestOf(ids[at] ?? 0), 0, 0);
  expect(log.list.map(({ id }) => id)).toEqual(ids);
  expect(ids.map((id) => log.get(id)?.id)).toEqual(ids);
  expect(log.get(5)).toBeUndefined();
});

test('the requests of a transaction are found by its reference and by its key, until they are dropped', () => {
  const log = new RequestLog();
  const add = (fields: Partial<SandboxRequest>) => {
    const request = requestOf(log.nextId(), { clientId: 'a', ...fields });
    log.add(request, 0, 0);
    return request;
  };
  const bought = { reference: 'TXN-1', clientId: 'a', idempotency_key: 'order' };
  const refused = add({ idempotency_key: 'order' });
  const accepted = add({ ...bought });
  add({ idempotency_key: 'order', clientId: 'b' });
  add({ idempotency_key: 'other' });
  const lookup = add({ reference: 'TXN-1' });
  expect(log.of(bought)).toEqual([refused, accepted, lookup]);
  while (log.list.length > 10) add({});
  for (let n = 0; n < 20_000; n++) add({});
  expect(log.of(bought)).toEqual([]);
});

test('the last 1,000 refusals are kept, and all are counted', () => {
  const log = new RequestLog();
  const response = {
    status: 402,
    headers: {},
    body: { code: 'INSUFFICIENT_BALANCE', message: 'x'.repeat(900) },
  };
  for (let n = 0; n < 1010; n++) {
    log.add(requestOf(log.nextId(), { operation: 'airtime.purchase', response }), 0, n);
  }
  expect([log.refusals.length, log.refused]).toEqual([1000, 1010]);
  expect(log.refusals[0]).toMatchObject({ requestId: 11, position: 10, status: 402 });
  expect(log.refusals[0]?.reason).toHaveLength(500);
});
