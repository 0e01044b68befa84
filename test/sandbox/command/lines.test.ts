import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { jsonLine, plain, readableLine } from '../../../src/sandbox/command/lines.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A sandbox and the lines it is worth, without times. */
function watched(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ clock: 'manual', settleAfter: 'manual', seed: 'lines', ...options });
  const lines: string[] = [];
  const json: Record<string, unknown>[] = [];
  cleanups.push(
    () => sandbox.close(),
    sandbox.onActivity((activity) => {
      const line = readableLine(activity, plain);
      if (line !== undefined) lines.push(line.replace(/^\d\d:\d\d:\d\d /, '').replace(/\d+ ms$/, '? ms'));
      const object = jsonLine(activity);
      if (object !== undefined) json.push(JSON.parse(object));
    }),
  );
  return { sandbox, lines, json };
}

async function call(sandbox: Sandbox, path: string, body?: unknown): Promise<void> {
  const { secretKey } = sandbox.credentials;
  const response = await sandbox
    .fetch(`${sandbox.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${secretKey}` },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    .catch(() => undefined);
  await response?.text().catch(() => undefined);
}

const client_id = 'client_default';
const airtime = { client_id, biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'k' };

describe('a request in one line', () => {
  it.each<[string, (sandbox: Sandbox) => Promise<void>, string]>([
    [
      'a catalogue',
      (sandbox) => call(sandbox, `/data/products?client_id=${client_id}&biller=MTN`),
      '200 GET  /api/v1/data/products  MTN  ? ms',
    ],
    ['an unknown path', (sandbox) => call(sandbox, '/nothing'), '404 GET  /api/v1/nothing  NOT_FOUND  ? ms'],
    [
      'what is no JSON',
      (sandbox) => call(sandbox, '/airtime/purchase', 'no json'),
      '400 POST /api/v1/airtime/purchase  BAD_REQUEST  ? ms',
    ],
    [
      'a failure after the debit',
      (sandbox) => call(sandbox, '/airtime/purchase', { ...airtime, recipient: '08000000007' }),
      '500 POST /api/v1/airtime/purchase  MTN  …0007  TXN-REF  GATEWAY_ERROR  ? ms',
    ],
    [
      'a cut answer',
      (sandbox) => {
        sandbox.faults.add({ cutBody: 10 });
        return call(sandbox, '/airtime/purchase', airtime);
      },
      '202 POST /api/v1/airtime/purchase  MTN  …4567  NGN 500.00  TXN-REF  cut off  fault: body cut off  ? ms',
    ],
    [
      'a connection that closed before anything was done',
      (sandbox) => {
        sandbox.faults.add({ connection: 'close', delay: 0 });
        return call(sandbox, '/airtime/purchase', airtime);
      },
      '--- POST /api/v1/airtime/purchase  MTN  …4567  connection closed  fault: held 0ms, connection closed  ? ms',
    ],
  ])('%s', async (_, act, line) => {
    const { sandbox, lines } = watched();
    await act(sandbox);
    expect(lines.map((text) => text.replace(/TXN-\w{16}/, 'TXN-REF'))).toEqual([line]);
  });

  it('cuts what is long and shows no control characters', async () => {
    const { sandbox, json } = watched();
    await call(sandbox, '/airtime/purchase', {
      ...airtime,
      idempotency_key: `\u001b[2J\u202e${'x'.repeat(200)}`,
      recipient: '\u0007\n\r\u009b',
    });
    expect(json[0]).toMatchObject({
      idempotency_key: `?[2J?${'x'.repeat(74)}…`,
      recipient: '…????',
    });
  });
});

describe('a delivery in one line', () => {
  async function receiver(statuses: readonly number[]): Promise<string> {
    const left = [...statuses];
    const server = createServer((request, response) => {
      const status = left.shift() ?? 500;
      request
        .resume()
        .on('end', () => (status === 0 ? response.destroy() : response.writeHead(status).end()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port');
    return `http://127.0.0.1:${address.port}/h`;
  }

  it('tells each attempt to the last, corruption and redelivery', async () => {
    const { sandbox, lines, json } = watched();
    const url = await receiver([0, 500]);
    await call(sandbox, '/webhooks/subscribe', { client_id, url });
    await call(sandbox, '/airtime/purchase', airtime);
    const [transaction] = sandbox.transactions;
    const reference = transaction?.reference ?? '';
    lines.splice(0);
    json.splice(0);
    sandbox.corruptDeliveries('bad-signature');
    await sandbox.settle(reference, 'failed');
    await sandbox.advance('40h');
    await sandbox.deliveries[0]?.redeliver();

    const hook = `hook transaction.failed to ${url}  ${reference}`;
    expect(lines[0]).toMatch(
      /^--- hook transaction\.failed .*attempt 1 {2}bad-signature {2}\S.* {2}next at \d\d:\d\d:\d\d {2}\? ms$/,
    );
    expect(lines[1]).toMatch(new RegExp(`^500 ${hook} {2}attempt 2 \\(retry\\) {2}next at `));
    expect(lines).toHaveLength(9);
    expect(lines[7]).toBe(`500 ${hook}  attempt 8 (retry)  given up  ? ms`);
    expect(lines[8]).toBe(`500 ${hook}  attempt 9 (redelivery)  given up  ? ms`);
    expect(json[0]).toMatchObject({
      type: 'delivery',
      corruption: 'bad-signature',
      delivered: false,
      error: expect.any(String),
      next_attempt_at: expect.stringMatching(/^\d{4}-/),
    });
  });
});

it('says nothing of anything else', () => {
  const { sandbox, lines, json } = watched();
  sandbox.client().fund(1);
  sandbox.faults.add({ status: 500 }).remove();
  expect([lines, json]).toEqual([[], []]);
});
