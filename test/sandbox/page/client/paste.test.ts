import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BillPay } from '../../../../src/index.js';
import { keyOf, requestCurl, requestTypeScript } from '../../../../src/sandbox/page/client/paste.js';
import { envBlock, firstPurchaseCurl } from '../../../../src/sandbox/words.js';
import { airtime, call, sandboxAtStart } from '../../support.js';

const shell = promisify(execFile);
const run = async (curl: string) => (await shell('sh', ['-c', curl])).stdout;

async function listening() {
  const sandbox = sandboxAtStart();
  const { baseUrl } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  const requestAt = (id: number) => {
    const request = sandbox.request(id);
    if (!request) throw new Error(`no request ${id}`);
    return request;
  };
  const curlOf = (id: number) => {
    const request = requestAt(id);
    return requestCurl(
      request,
      request.headers,
      new URL(baseUrl).origin,
      keyOf(request.headers, sandbox.clients[0]),
    );
  };
  return { sandbox, baseUrl, requestAt, curlOf };
}

test('the .env block holds what a client needs, and the webhook secret where there is one', () => {
  const credentials = { clientId: 'shop', secretKey: 'sk_1', publicKey: 'pk_1' };
  const block = 'BILLPAY_BASE_URL=http://x/api/v1\nBILLPAY_API_KEY=sk_1\nBILLPAY_CLIENT_ID=shop';
  expect(envBlock('http://x/api/v1', credentials)).toBe(block);
  expect(envBlock('http://x/api/v1', credentials, 'whsec_1')).toBe(
    `${block}\nBILLPAY_WEBHOOK_SECRET=whsec_1`,
  );
});

test('the first purchase works, and charges once however often it is pasted', async () => {
  const { sandbox, baseUrl } = await listening();
  const curl = firstPurchaseCurl(baseUrl, sandbox.credentials);
  const answers = [await run(curl), await run(curl)].map((answer) => JSON.parse(answer));
  expect(answers[0]).toMatchObject({ status: 'pending', data: { amount: 500 } });
  expect(answers[1]).toEqual(answers[0]);
  expect(sandbox.wallet().balance).toBe(99_500);
});

test('a request as curl does the same again, whatever is in it', async () => {
  const { sandbox, baseUrl, curlOf } = await listening();
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a', { recipient: `O'Brien "$HOME" \\ \`id\`` }));
  await run(curlOf(1));
  expect(sandbox.request(2)?.body).toEqual(sandbox.request(1)?.body);
  expect(sandbox.request(2)?.response).toEqual(sandbox.request(1)?.response);

  const { clientId, publicKey } = sandbox.credentials;
  await fetch(`${baseUrl}/data/products?client_id=${clientId}&biller=MTN`, {
    headers: { Authorization: `Bearer ${publicKey}` },
  });
  expect(JSON.parse(await run(curlOf(3)))).toMatchObject({ status: 'success', biller: 'MTN' });

  await fetch(`${baseUrl}/nothing`, { method: 'POST', body: 'no json', headers: { 'X-Mine': '1' } });
  await run(curlOf(5));
  expect(sandbox.request(6)).toMatchObject({ method: 'POST', body: 'no json', headers: { 'x-mine': '1' } });
});

describe('a request as TypeScript', () => {
  const request = {
    method: 'POST',
    path: '/api/v1/airtime/purchase',
    query: {},
    body: undefined,
    operation: undefined,
  };

  test('does the same again with this package, under the same key', async () => {
    const { sandbox, requestAt } = await listening();
    const order = airtime('a', { recipient: `O'Brien "$HOME" \\ \`id\`` });
    await call(sandbox, 'POST', '/airtime/purchase', order);
    const code = requestTypeScript(requestAt(1));
    expect(code).toContain("idempotency_key: 'a',");
    const body = code.replace(/^import .*$/m, '').replace('console.log(', 'return (');
    const Configured = class extends BillPay {
      constructor() {
        super({ ...sandbox.connection, logLevel: 'off' });
      }
    };
    const run = new Function('BillPay', `return (async () => {${body}})();`);
    expect(await run(Configured)).toMatchObject({ idempotency_key: 'a' });
    expect(sandbox.request(2)?.body).toEqual(requestAt(1).body);
    expect(sandbox.transactions).toHaveLength(1);
  });

  test('a status check, and a call that the package does not know', () => {
    const query = { client_id: 'shop', reference: 'TXN-1' };
    const lookup = requestTypeScript({ ...request, method: 'GET', operation: 'transactions.status', query });
    expect(lookup).toContain("billpay.transactions.status('TXN-1')");
    const other = { ...request, path: '/api/v1/data/variations', method: 'GET', query: { biller: 'MTN' } };
    expect(requestTypeScript(other)).toContain(
      "billpay.request({\n  method: 'GET',\n  path: '/data/variations',\n  query: {\n    biller: 'MTN',\n  },\n})",
    );
    const list = requestTypeScript({ ...request, body: { 'a b': [1, null], c: {} } });
    expect(list).toContain("'a b': [\n      1,\n      null,\n    ],\n    c: {},");
  });
});
