import { expect, test } from 'vitest';
import type { SaleDetail } from '../../../../src/sandbox/console/client/resources.js';
import { lifeOf } from '../../../../src/sandbox/console/client/sale-life.js';
import { controlled } from '../../control/support.js';
import { airtime, call, referenceOf } from '../../support.js';

test('a life in one line: requests under the key, debit, settlement, refund, each delivery attempt', async () => {
  const { sandbox, ok } = await controlled({ settleAfter: 'manual' });
  sandbox.webhooks.subscribe({ handler: () => new Response(null, { status: 500 }) });
  sandbox.faults.add({ status: 503, code: 'QUEUE_UNAVAILABLE' });
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  await sandbox.advance('1s');
  const reference = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime('a')));
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient: '08039999999' }));
  await sandbox.settle(reference, 'failed');
  await call(sandbox, 'GET', `/transactions/status?reference=${reference}`);
  await sandbox.advance('1m');

  const steps = lifeOf(await ok<SaleDetail>('GET', `/transactions/${reference}`));
  expect(steps.map(({ text }) => text)).toEqual([
    'refused',
    'debited 500 NGN',
    'accepted, response 202',
    'repeated, response 202',
    'settled as failed',
    'refunded 500 NGN',
    'transaction.failed sent (first), response 500',
    'looked up, response 200',
    'transaction.failed sent (retry), response 500',
  ]);
  expect(steps.map(({ request, attempt }) => request?.status ?? attempt?.number)).toEqual([
    503,
    undefined,
    202,
    202,
    undefined,
    undefined,
    1,
    200,
    2,
  ]);
  expect(steps[3]?.request?.warnings[0]?.differences).toEqual([
    { field: 'recipient', original: '08031234567', repeated: '08039999999' },
  ]);
});

test('requests that the log has lost are left as text, and the others keep their places', () => {
  const at = '2026-01-31T09:30:00.000Z';
  const entry = (kind: 'request' | 'wallet', text: string) => ({ sequence: 1, at, kind, text });
  const last = { id: 9, at, reference: 'TXN-1', status: 200 };
  const refused = { id: 10, at: '2026-01-31T09:31:00.000Z', reference: null, status: 409 };
  const detail = {
    reference: 'TXN-1',
    timeline: [entry('wallet', 'debited'), entry('request', 'accepted'), entry('request', 'looked up')],
    requests: [last, refused],
    delivery: null,
  } as unknown as SaleDetail;
  expect(lifeOf(detail).map(({ text, request }) => [text, request?.id])).toEqual([
    ['debited', undefined],
    ['accepted', undefined],
    ['looked up', 9],
    ['refused', 10],
  ]);
});
