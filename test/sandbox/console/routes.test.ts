import { execFile } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Block, Row, View } from '../../../src/sandbox/console/model.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Bench {
  readonly sandbox: Sandbox;
  readonly origin: string;
  readonly buy: (product: string, body: object) => Promise<string>;
  readonly post: (name: string, body: object | string, headers?: Record<string, string>) => Promise<Response>;
  readonly details: (kind: string, id: string | number, reveal?: boolean) => Promise<Block[]>;
}

async function listening(options: SandboxOptions = {}): Promise<Bench> {
  // The clock stands still at one moment, so that no page shows a date because a test ran at midnight.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-31T09:30:00.000Z') });
  const sandbox = createSandbox({ settleAfter: 'manual', clock: 'manual', seed: 'console', ...options });
  vi.useRealTimers();
  cleanups.push(() => sandbox.close());
  const { port, baseUrl } = await sandbox.listen();
  const origin = `http://127.0.0.1:${port}`;
  return {
    sandbox,
    origin,
    buy: async (product, body) => {
      const { clientId, secretKey } = sandbox.credentials;
      const response = await fetch(`${baseUrl}/${product}/purchase`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ client_id: clientId, ...body }),
      });
      return (await response.json()).data.reference;
    },
    post: (name, body, headers = {}) =>
      fetch(`${origin}/_console/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    details: async (kind, id, reveal = false) => {
      const response = await fetch(`${origin}/_console/${kind}/${id}${reveal ? '?reveal' : ''}`);
      expect(response.status).toBe(200);
      return response.json();
    },
  };
}

const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'k-1' };
const meter = {
  biller: 'IKEDC',
  recipient: '0124000952992',
  meter_type: 'prepaid',
  amount: 5000,
  idempotency_key: 'k-2',
};

async function receiver(statuses: number[] = []): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = statuses.shift() ?? 200;
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port');
  return `http://127.0.0.1:${address.port}/hook`;
}

async function subscribe({ sandbox, origin }: Bench, url: string): Promise<void> {
  const { clientId, secretKey } = sandbox.credentials;
  const response = await fetch(`${origin}/api/v1/webhooks/subscribe`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_id: clientId, url }),
  });
  expect(response.status).toBe(200);
}

/** The views that the page is sent, one after the other. */
async function* views(origin: string, client = ''): AsyncGenerator<View, void> {
  const ended = new AbortController();
  cleanups.unshift(() => ended.abort());
  const response = await fetch(`${origin}/_console/events${client && `?client=${client}`}`, {
    signal: ended.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events)
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length));
  }
}

async function viewNow(origin: string, client?: string): Promise<View> {
  const { value } = await views(origin, client).next();
  if (!value) throw new Error('no view came');
  return value;
}

async function viewWhere(stream: AsyncGenerator<View, void>, holds: (view: View) => boolean): Promise<View> {
  for (;;) {
    const { value } = await stream.next();
    if (!value) throw new Error('the stream ended');
    if (holds(value)) return value;
  }
}

const texts = (row: Row | undefined): string[] => row?.cells.map(({ text }) => text) ?? [];
const factOf = (blocks: Block[], name: string): string | undefined =>
  blocks.flatMap(({ facts = [] }) => facts).find(([known]) => known === name)?.[1];
const codeOf = (blocks: Block[], title: string): string =>
  blocks.find((block) => block.title === title)?.code ?? '';

/** A request with any Host, which fetch does not allow. */
function statusWithHost(
  origin: string,
  path: string,
  host: string,
  method = 'GET',
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(origin);
    const headers = { host, 'content-type': 'application/json' };
    const request = httpRequest({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end(method === 'POST' ? '{}' : undefined);
  });
}

describe('the page', () => {
  it('allows nothing but its own style and script, and loads nothing', async () => {
    const { origin } = await listening();
    const response = await fetch(`${origin}/`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+';/);
    for (const rule of [
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "trusted-types 'none'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toContain('unsafe');
    const html = await response.text();
    expect(html).not.toMatch(/\b(src|href)="(?!data:,)/);
    expect(html).not.toMatch(/url\(|@import/);
    expect(html.length).toBeLessThan(25_000);
  });

  it('exists only where the sandbox listens', async () => {
    const sandbox = createSandbox();
    for (const path of ['/', '/_console/events', '/_console/env']) {
      expect((await sandbox.fetch(`https://sandbox.billpay.test${path}`)).status).toBe(404);
    }
    await sandbox.close();
  });

  it('is not among the requests to the service', async () => {
    const { sandbox, origin } = await listening();
    await fetch(`${origin}/`);
    await viewNow(origin);
    expect(sandbox.requests).toEqual([]);
  });

  it.each(['/', '/_console/events', '/_console/env', '/_console/curl'])(
    'is refused to another Host: %s',
    async (path) => {
      const { origin } = await listening();
      expect(await statusWithHost(origin, path, 'evil.example')).toBe(403);
      expect(await statusWithHost(origin, path, `evil.example:${new URL(origin).port}`)).toBe(403);
    },
  );
});

describe('what changes something', () => {
  it('is refused to other Hosts, other pages and forms', async () => {
    const bench = await listening();
    const { sandbox, origin, post, buy } = bench;
    const reference = await buy('airtime', airtime);
    const body = { reference, outcome: 'success' };
    const port = new URL(origin).port;
    expect(await statusWithHost(origin, '/_console/settle', `evil.example:${port}`, 'POST')).toBe(403);
    expect((await post('settle', body, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await post('settle', body, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await post('settle', body, { 'Content-Type': 'text/plain' })).status).toBe(403);
    expect(sandbox.transaction(reference)?.status).toBe('pending');
    expect((await post('settle', body, { Origin: origin, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(
      200,
    );
    expect(sandbox.transaction(reference)?.status).toBe('success');
  });

  it('settles, and says why it cannot', async () => {
    const { sandbox, post, buy } = await listening();
    const reference = await buy('airtime', airtime);
    expect((await post('settle', { reference, outcome: 'failed' })).status).toBe(200);
    expect(sandbox.transaction(reference)).toMatchObject({ status: 'failed', refunded: true });
    const again = await post('settle', { reference, outcome: 'failed' });
    expect([again.status, await again.text()]).toEqual([
      400,
      `reference: ${reference} is failed already, which is final\n`,
    ]);
    expect(await (await post('settle', { reference, outcome: 'maybe' })).text()).toMatch('outcome: must be');
  });

  it('adds and removes faults', async () => {
    const { sandbox, post } = await listening();
    await post('fault', { preset: 'lost', target: 'purchases', times: 'thrice' });
    await post('fault', { preset: 'slow', target: 'any', times: 'always' });
    await post('fault', { preset: 'busy', target: 'transactions.status', times: 'once' });
    expect(sandbox.faults.active.map(({ options }) => options)).toMatchObject([
      { when: 'after', connection: 'close', times: 3, operation: expect.arrayContaining(['edu.purchase']) },
      { delay: '3s', times: Number.POSITIVE_INFINITY },
      { status: 429, retryAfter: 2, times: 1, operation: ['transactions.status'] },
    ]);
    await post('fault-off', { id: sandbox.faults.active[0]?.id });
    expect(sandbox.faults.active).toHaveLength(2);
    expect((await post('fault-off', { id: 99 })).status).toBe(200);
    for (const wrong of [
      { preset: 'x', target: 'any', times: 'once' },
      { preset: 'slow', target: 'x', times: 'once' },
      { preset: 'slow', target: 'any', times: 'x' },
    ]) {
      expect((await post('fault', wrong)).status).toBe(400);
    }
  });

  it('moves a manual clock, and says that a real one cannot be moved', async () => {
    const manual = await listening({ clock: 'manual' });
    const before = manual.sandbox.now.getTime();
    expect((await manual.post('advance', { duration: '6h' })).status).toBe(200);
    expect(manual.sandbox.now.getTime() - before).toBe(6 * 3_600_000);
    expect((await manual.post('advance', { duration: 'soon' })).status).toBe(400);
    const real = await listening({ clock: 'real' });
    expect(await (await real.post('advance', { duration: '6h' })).text()).toMatch('clock: is real');
  });

  it('redelivers, as it was or corrupted', async () => {
    const bench = await listening();
    const { sandbox, post, buy } = bench;
    await subscribe(bench, await receiver([500]));
    const reference = await buy('airtime', airtime);
    await sandbox.settle(reference, 'success');
    const id = sandbox.deliveries[0]?.id;
    expect((await post('redeliver', { id })).status).toBe(200);
    expect((await post('redeliver', { id, corrupt: 'bad-signature' })).status).toBe(200);
    expect((await post('redeliver', { id, corrupt: 'nonsense' })).status).toBe(400);
    expect((await post('redeliver', { id: 'unknown' })).status).toBe(400);
    expect(sandbox.deliveries[0]?.attempts).toMatchObject([
      { status: 500, corruption: undefined },
      { status: 200, reason: 'redelivery' },
      { corruption: 'bad-signature' },
    ]);
  });

  it('is a known command with a JSON object', async () => {
    const { origin, post } = await listening();
    expect((await post('explode', {})).status).toBe(404);
    for (const body of ['not json', '3', '', `{"a":"${'x'.repeat(20_000)}"}`]) {
      expect((await post('settle', body)).status).toBe(400);
    }
    const put = await fetch(`${origin}/_console/settle`, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('the view', () => {
  it('begins with what is there', async () => {
    const { origin, sandbox } = await listening({ balance: 5000, clock: 'real' });
    const view = await viewNow(origin);
    expect(view).toMatchObject({
      baseUrl: `${origin}/api/v1`,
      client: 'client_default',
      balance: '5,000.00',
      subscription: 'not subscribed',
      tables: { transactions: { rows: [], count: '0' }, faults: { rows: [] } },
    });
    expect(view.manualTime).toBeUndefined();
    expect(view.clients.map(({ label }) => label)).toEqual([
      'client_default',
      'client_unverified (unverified)',
      'client_suspended (suspended)',
      'client_allowlisted (allow-list)',
      'client_empty',
    ]);
    expect(JSON.stringify(view)).not.toContain(sandbox.credentials.secretKey);
  });

  it('shows the wallet of the client that is asked for, of the default one for an unknown', async () => {
    const { origin } = await listening();
    expect(await viewNow(origin, 'client_empty')).toMatchObject({ client: 'client_empty', balance: '0.00' });
    expect(await viewNow(origin, 'nobody')).toMatchObject({ client: 'client_default' });
  });

  it('comes again with each change', async () => {
    const bench = await listening();
    const { origin, sandbox, buy } = bench;
    await subscribe(bench, await receiver([500]));
    const stream = views(origin);
    await stream.next();
    const reference = await buy('electricity', meter);
    const bought = await viewWhere(stream, ({ tables }) => tables.requests.rows.length === 2);
    const [row] = bought.tables.transactions.rows;
    expect(texts(row)).toEqual([
      reference,
      '09:30:00',
      'Electricity IKEDC',
      '0124000952992',
      '5,000.00',
      'pending',
    ]);
    expect(row?.actions.map(({ label }) => label)).toEqual(['Succeed', 'Fail']);
    expect(texts(bought.tables.ledger.rows[0])).toEqual([
      'debit',
      '−5,000.00',
      expect.stringContaining(reference),
      '95,000.00',
    ]);

    await sandbox.settle(reference, 'success');
    sandbox.faults.add({ operation: 'airtime.purchase', status: 503, times: 2 });
    const settled = await viewWhere(stream, ({ tables }) => tables.faults.rows.length === 1);
    expect(settled.tables.transactions.rows[0]).toMatchObject({
      cells: expect.arrayContaining([{ text: 'success', tone: 'good' }]),
      actions: [{ does: 'reveal' }],
    });
    expect(texts(settled.tables.deliveries.rows[0])).toEqual([
      'transaction.completed',
      expect.any(String),
      reference,
      '1, last 500',
      'pending, next 09:31:00',
    ]);
    expect(texts(settled.tables.faults.rows[0])).toEqual(['503', 'airtime.purchase: 2 more, met 0']);
    expect(JSON.stringify(settled)).not.toContain(sandbox.transaction(reference)?.token);
  });

  it('is bounded, and says how much there is', async () => {
    const { origin, sandbox } = await listening();
    const { clientId, secretKey } = sandbox.credentials;
    for (let at = 0; at < 60; at++) {
      await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${secretKey}` },
        body: JSON.stringify({
          client_id: clientId,
          ...airtime,
          idempotency_key: `k-${at}`,
          recipient: 'x'.repeat(99),
        }),
      });
    }
    const { tables } = await viewNow(origin);
    expect(tables.transactions.rows).toHaveLength(50);
    expect(tables.transactions.count).toBe('last 50 of 60');
    expect(tables.transactions.rows[0]?.key).toBe(sandbox.transactions.at(-1)?.reference);
    expect(texts(tables.transactions.rows[0])[3]).toHaveLength(32);
  });

  it('words what became of requests', async () => {
    const { origin, sandbox, buy } = await listening({ clock: 'manual' });
    await buy('airtime', airtime);
    await sandbox.advance('2d');
    await buy('airtime', airtime);
    sandbox.faults.add({ cutBody: true });
    await buy('airtime', airtime).catch(() => undefined);
    sandbox.faults.add({ when: 'after', connection: 'close' });
    await buy('airtime', airtime).catch(() => undefined);
    sandbox.faults.add({
      status: 503,
      code: 'QUEUE_UNAVAILABLE',
      retryAfter: 2,
      headers: { a: 'b' },
      clientId: 'client_default',
    });
    await buy('airtime', airtime).catch(() => undefined);
    sandbox.faults.add({ body: '<html>', delay: 0 });
    await buy('airtime', airtime).catch(() => undefined);
    sandbox.faults.add({ body: 'text', recipient: airtime.recipient });
    await buy('airtime', airtime).catch(() => undefined);
    const view = await viewNow(origin);
    expect(view.manualTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const repeated = 'key repeated: not charged again';
    expect(view.tables.requests.rows.map((row) => texts(row).slice(3))).toEqual([
      ['200', 'fault: other body'],
      ['200', 'fault: held 0ms, HTML page'],
      ['503', 'QUEUE_UNAVAILABLE; fault: 503 QUEUE_UNAVAILABLE, Retry-After 2, other headers'],
      ['connection closed', `${repeated}; fault: after processing: connection closed`],
      ['202, cut off', `${repeated}; fault: body cut off`],
      ['202', repeated],
      ['202', ''],
    ]);
    expect(texts(view.tables.requests.rows.at(-1))[1]).toMatch(/^\d\d-\d\d \d\d:\d\d$/);
  });

  it('words deliveries that were not sent yet, or that nobody answered', async () => {
    const bench = await listening();
    const { origin, sandbox, buy, details } = bench;
    await subscribe(bench, 'http://127.0.0.1:1/hook');
    await sandbox.settle(await buy('airtime', airtime), 'success');
    sandbox.corruptDeliveries('reordered');
    await sandbox.settle(await buy('airtime', { ...airtime, idempotency_key: 'k-9' }), 'failed');
    const { tables } = await viewNow(origin);
    expect(tables.deliveries.rows.map((row) => texts(row)[3])).toEqual(['0', '1, last unanswered']);
    expect(tables.transactions.rows.map((row) => texts(row)[5])).toEqual(['failed, refunded', 'success']);
    const held = await details('delivery', sandbox.deliveries[1]?.id ?? '');
    expect(codeOf(held, 'Headers of the last attempt')).toBe('');
    const unanswered = await details('delivery', sandbox.deliveries[0]?.id ?? '');
    expect(unanswered[1]?.events?.[0]?.text).toMatch(/^attempt 1: \S.+, \d+ ms$/);
  });

  it('tells a disabled subscription', async () => {
    const { origin, sandbox } = await listening();
    const { clientId, secretKey } = sandbox.credentials;
    await sandbox.fetch(`${sandbox.baseUrl}/webhooks/subscribe`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secretKey}` },
      body: JSON.stringify({ client_id: clientId, url: 'https://shop.example/h', enabled: false }),
    });
    expect((await viewNow(origin)).subscription).toBe('https://shop.example/h (disabled)');
  });

  it('ends with the page: nothing listens any more', async () => {
    const { sandbox, origin } = await listening();
    const stream = views(origin);
    await stream.next();
    await sandbox.close();
    await expect(stream.next()).rejects.toThrow();
  });
});

describe('details', () => {
  it('of a transaction: facts, what happened, and its token only when asked for', async () => {
    const bench = await listening();
    const { sandbox, details, buy } = bench;
    await subscribe(bench, await receiver());
    const reference = await buy('edu', {
      biller: 'WAEC',
      recipient: '08031234567',
      product_code: 'WAEC-RESULT',
      quantity: 2,
      idempotency_key: 'k-3',
    });
    const pending = await details('transaction', reference);
    expect(pending[0]?.actions?.map(({ label }) => label)).toEqual(['Succeed', 'Fail']);
    expect(factOf(pending, 'Token')).toBeUndefined();
    await sandbox.settle(reference, 'success');

    const covered = await details('transaction', reference);
    const token = sandbox.transaction(reference)?.token ?? '';
    expect(token).toContain('||');
    expect(factOf(covered, 'Token')).toBe('••••••••');
    expect(JSON.stringify(covered)).not.toContain(token.slice(0, 20));
    expect(covered[1]?.events?.map(({ text }) => text)).toEqual([
      'debited 7800 NGN',
      'accepted, response 202',
      'settled as success',
      'transaction.completed sent (first), response 200',
    ]);
    const revealed = await details('transaction', reference, true);
    expect(factOf(revealed, 'Token')).toBe(token.replace('||', '\n'));
    expect(factOf(revealed, 'Quantity')).toBe('2');
    expect(revealed[0]?.actions).toEqual([]);
  });

  it('of a delivery: attempts, headers and the exact body, its token only when asked for', async () => {
    const bench = await listening();
    const { sandbox, details, buy } = bench;
    await subscribe(bench, await receiver([503]));
    const reference = await buy('electricity', meter);
    await sandbox.settle(reference, 'success');
    const [delivery] = sandbox.deliveries;
    await delivery?.redeliver({ corrupt: 'old-timestamp' });
    const id = delivery?.id ?? '';
    const token = sandbox.transaction(reference)?.token ?? 'none';

    const covered = await details('delivery', id);
    expect(covered[1]?.events?.map(({ text, tone }) => [text.replace(/\d+ ms/, '? ms'), tone])).toEqual([
      ['attempt 1: 503, ? ms', 'bad'],
      ['attempt 2 (redelivery, old timestamp): 200, ? ms', 'good'],
    ]);
    expect(codeOf(covered, 'Headers of the last attempt')).toContain(`X-Service-Delivery-ID: ${id}`);
    expect(codeOf(covered, 'Body')).toBe(delivery?.body.replace(token, '••••••••'));
    expect(covered.at(-1)?.actions).toEqual([{ does: 'reveal', label: 'Show token' }]);

    const revealed = await details('delivery', id, true);
    expect(codeOf(revealed, 'Body')).toBe(delivery?.body);
  });

  it('of a request: headers without its key, body and answer, a token only when asked for', async () => {
    const { sandbox, origin, details, buy } = await listening();
    const reference = await buy('electricity', meter);
    await sandbox.settle(reference, 'success');
    const { clientId, secretKey } = sandbox.credentials;
    await fetch(`${origin}/api/v1/transactions/status?client_id=${clientId}&reference=${reference}`, {
      headers: { Authorization: `Bearer ${secretKey}` },
    });
    const token = sandbox.transaction(reference)?.token ?? 'none';
    const covered = await details('request', 2);
    expect(factOf(covered, 'Reference')).toBe(reference);
    expect(JSON.stringify(covered)).not.toContain(token);
    expect(JSON.stringify(covered)).not.toContain(secretKey);
    expect(codeOf(await details('request', 2, true), 'Answer body')).toContain(token);

    const purchase = await details('request', 1);
    expect(JSON.parse(codeOf(purchase, 'Body'))).toMatchObject(meter);
    expect(codeOf(purchase, 'Answer 202')).toContain('content-type: application/json');

    sandbox.faults.add({ connection: 'close' });
    await fetch(`${origin}/api/v1/nothing`).catch(() => undefined);
    const closed = await details('request', 3);
    expect(codeOf(closed, 'Answer')).toBe('none: the connection closed');
  });

  it('cuts a long text short', async () => {
    const { details, buy } = await listening();
    await buy('airtime', { ...airtime, note: 'n'.repeat(30_000) });
    expect(codeOf(await details('request', 1), 'Body')).toMatch(/… \(30,\d\d\d characters\)$/);
  });

  it.each(['transaction/TXN-NONE', 'delivery/none', 'request/0', 'curl/99', 'nonsense/1', 'nonsense'])(
    'of what is not there: %s',
    async (path) => {
      const { origin } = await listening();
      expect((await fetch(`${origin}/_console/${path}`)).status).toBe(404);
    },
  );
});

describe('what is copied', () => {
  const textOf = async (origin: string, path: string): Promise<string> =>
    (await (await fetch(`${origin}/_console/${path}`)).json()).text;
  const shell = promisify(execFile);
  const run = async (curl: string) => (await shell('sh', ['-c', curl])).stdout;

  it('is what a .env file needs', async () => {
    const { origin, sandbox } = await listening();
    const { clientId, secretKey } = sandbox.credentials;
    expect(await textOf(origin, 'env')).toBe(
      `BILLPAY_BASE_URL=${origin}/api/v1\nBILLPAY_API_KEY=${secretKey}\nBILLPAY_CLIENT_ID=${clientId}`,
    );
  });

  it('is a first purchase that works, and charges once however often it is pasted', async () => {
    const { origin, sandbox } = await listening();
    const curl = await textOf(origin, 'curl');
    const answers = [await run(curl), await run(curl)].map((answer) => JSON.parse(answer));
    expect(answers[0]).toMatchObject({ status: 'pending', data: { amount: 500 } });
    expect(answers[1]).toEqual(answers[0]);
    expect(sandbox.wallet().balance).toBe(99_500);
  });

  it('is a request that does the same again, whatever is in it', async () => {
    const { origin, sandbox, buy } = await listening();
    const { clientId, publicKey } = sandbox.credentials;
    await buy('airtime', { ...airtime, recipient: `O'Brien "$HOME" \\ \`id\`` });
    await run(await textOf(origin, 'curl/1'));
    expect(sandbox.requests[1]?.body).toEqual(sandbox.requests[0]?.body);
    expect(sandbox.requests[1]?.response).toEqual(sandbox.requests[0]?.response);

    await fetch(`${origin}/api/v1/data/products?client_id=${clientId}&biller=MTN`, {
      headers: { Authorization: `Bearer ${publicKey}` },
    });
    expect(JSON.parse(await run(await textOf(origin, 'curl/3')))).toMatchObject({
      status: 'success',
      biller: 'MTN',
    });

    await fetch(`${origin}/api/v1/nothing`, { method: 'POST', body: 'no json', headers: { 'X-Mine': '1' } });
    await run(await textOf(origin, 'curl/5'));
    expect(sandbox.requests[5]).toMatchObject({
      method: 'POST',
      body: 'no json',
      headers: { 'x-mine': '1' },
    });
    await fetch(`${origin}/api/v1/nothing`, { headers: { Authorization: 'Bearer other' } });
    expect(await textOf(origin, 'curl/7')).toContain("authorization: Bearer …'");
  });
});
