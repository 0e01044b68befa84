import { expect, test } from 'vitest';
import type { TransactionDetail } from '../../../../src/sandbox/console/client/resources.js';
import { lifeOf } from '../../../../src/sandbox/console/client/transaction-life.js';
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

  const steps = lifeOf(await ok<TransactionDetail>('GET', `/transactions/${reference}`));
  expect(steps.map(({ text }) => text)).toEqual([
    'refused',
    // The debit comes after the request that caused it.
    'accepted, response 202',
    'debited 500 NGN',
    'repeated, response 202',
    'settled as failed',
    'refunded 500 NGN',
    'transaction.failed sent (first), response 500',
    'looked up, response 200',
    'transaction.failed sent (retry), response 500',
  ]);
  expect(steps.map(({ request, attempt }) => request?.status ?? attempt?.number)).toEqual([
    503,
    202,
    undefined,
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

test('requests that the log has lost are left as text, and refused ones have their place in time', () => {
  const entry = (kind: 'request' | 'wallet', text: string, at: string, request_id: number | null) => ({
    sequence: 1,
    at: `2026-01-31T09:${at}.000Z`,
    kind,
    text,
    request_id,
    attempt: null,
  });
  const lookup = { id: 9, at: '2026-01-31T09:32:00.000Z', operation: 'transactions.status', replayed: false };
  const refused = { id: 8, at: '2026-01-31T09:31:00.000Z', operation: 'airtime.purchase', replayed: false };
  const detail = {
    timeline: [
      entry('wallet', 'debited', '30:00', null),
      entry('request', 'accepted', '30:00', null),
      entry('request', 'looked up', '32:00', 9),
    ],
    requests: [refused, lookup],
    delivery: null,
  } as unknown as TransactionDetail;
  expect(lifeOf(detail).map(({ text, request }) => [text, request?.id])).toEqual([
    ['debited', undefined],
    ['accepted', undefined],
    ['refused', 8],
    ['looked up', 9],
  ]);
});
