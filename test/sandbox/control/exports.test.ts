import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { airtime, call, referenceOf } from '../support.js';
import { type Control, controlled } from './support.js';

const fetched = async ({ origin }: Control, path: string) => {
  const response = await fetch(`${origin}/_sandbox${path}`);
  return { response, text: await response.text() };
};

const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true });

test('transactions, deliveries and the ledger are files of the rows that match, newest first', async () => {
  const control = await controlled({ settleAfter: 'manual' });
  const { sandbox } = control;
  sandbox.webhooks.subscribe({ handler: () => new Response('no such order, "order-1"\n', { status: 422 }) });
  const first = referenceOf(await call(sandbox, 'POST', '/airtime/purchase', airtime('order-1')));
  const second = referenceOf(
    await call(sandbox, 'POST', '/airtime/purchase', airtime('order-2', { recipient: '+2348031234567' })),
  );
  await sandbox.settle(first, 'failed');

  const csv = await fetched(control, '/transactions/export?format=csv');
  expect(csv.response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.response.headers.get('content-disposition')).toBe('attachment; filename="transactions.csv"');
  expect(rowsOf(csv.text)).toMatchObject([
    { reference: second, recipient: '+2348031234567', amount: '500', state: 'pending', webhook_state: '' },
    { reference: first, state: 'failed', refunded: 'true', webhook_last_status: '422', requests_sent: '1' },
  ]);
  const json = await fetched(control, '/transactions/export?state=failed');
  expect(json.response.headers.get('content-type')).toBe('application/json');
  expect(JSON.parse(json.text)).toMatchObject([{ reference: first, amount: 500, webhook_last_status: 422 }]);

  const deliveries = await fetched(control, '/deliveries/export?format=csv');
  expect(rowsOf(deliveries.text)).toMatchObject([
    {
      reference: first,
      event: 'transaction.failed',
      attempts: '1',
      last_reply: 'no such order, "order-1"\n',
    },
  ]);
  const ledger = await fetched(control, '/wallets/client_default/ledger/export?format=csv&kind=refund');
  expect(rowsOf(ledger.text)).toMatchObject([{ kind: 'refund', amount: '500', reference: first }]);
});

test('a file holds no token, and nothing that a spreadsheet runs', async () => {
  const control = await controlled();
  const { sandbox } = control;
  const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 };
  const key = '=HYPERLINK("http://x.test")';
  const sold = await call(sandbox, 'POST', '/electricity/purchase', { ...meter, idempotency_key: key });
  await sandbox.settle(referenceOf(sold), 'success');
  const token = sandbox.transactions[0]?.token ?? 'none';
  for (const format of ['csv', 'json']) {
    const { text } = await fetched(control, `/transactions/export?format=${format}`);
    expect(text).not.toContain(token);
  }
  const { text } = await fetched(control, '/transactions/export?format=csv');
  expect(rowsOf(text)[0]?.['idempotency_key']).toBe(`'${key}`);
});

test('an empty file has its columns, and another format is refused', async () => {
  const control = await controlled();
  const { text } = await fetched(control, '/transactions/export?format=csv');
  expect(text).toMatch(/^reference,client_id,[a-z_,]+\r\n$/);
  expect(await control.send('GET', '/deliveries/export?format=xml')).toMatchObject({
    status: 400,
    body: { detail: "format: must be 'json' or 'csv'; got a value of type string" },
  });
});
