import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { plain } from '../../../src/cli/terminal.js';
import { jsonLine, readableLines } from '../../../src/sandbox/command/lines.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { serve } from '../../support/serve.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A sandbox and the lines that it prints, without times. Warnings have no line here unless they are asked for. */
function watched(options: SandboxOptions = {}, withWarnings = false) {
  const sandbox = createSandbox({ clock: 'manual', settleAfter: 'manual', seed: 'lines', ...options });
  const lines: string[] = [];
  const json: Record<string, unknown>[] = [];
  const textOf = readableLines(plain);
  cleanups.push(
    () => sandbox.close(),
    sandbox.onActivity((activity) => {
      const [line, ...more] = textOf(activity)?.split('\n') ?? [];
      if (line !== undefined) lines.push(line.replace(/^\d\d:\d\d:\d\dZ /, '').replace(/\d+ ms$/, '? ms'));
      if (withWarnings) lines.push(...more.map((text) => text.trim()));
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
      headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    .catch(() => undefined);
  await response?.text().catch(() => undefined);
}

const client_id = 'client_default';
const airtime = { client_id, biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'k' };

it('a line and its JSON hold no control characters of a caller', async () => {
  const { sandbox, lines, json } = watched();
  const { secretKey } = sandbox.credentials;
  await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${secretKey}`,
      'X-Sandbox-Fault': JSON.stringify({ status: 400, code: '\u001b]52;c;YQ==\u0007\u001b[2J' }),
    },
    body: JSON.stringify(airtime),
  });
  expect(lines).toHaveLength(1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
  expect(`${lines[0]}${JSON.stringify(Object.values(json[0] ?? {}))}`).not.toMatch(/[\u0000-\u001f]|\\u00/);
});

describe('a request in one line', () => {
  it.each<[string, (sandbox: Sandbox) => Promise<void>, string]>([
    [
      'a response that was cut off',
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
    const origin = await serve((request, response) => {
      const status = left.shift() ?? 500;
      request
        .resume()
        .on('end', () => (status === 0 ? response.destroy() : response.writeHead(status).end()));
    });
    return `${origin}/h`;
  }

  it('shows each attempt to the last, corruption and redelivery', async () => {
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
    expect(lines.shift()).toBe(`    settled as failed  ${reference}  MTN  …4567  NGN 500.00 refunded`);
    expect(json.shift()).toMatchObject({ type: 'settlement', reference, state: 'failed', refunded: true });
    // With a date where it is on the next day.
    expect(lines[0]).toMatch(
      /^--- hook transaction\.failed .*attempt 1 {2}bad-signature {2}\S.* {2}not accepted {2}next at (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ {2}\? ms$/,
    );
    expect(lines[1]).toMatch(new RegExp(`^500 ${hook} {2}attempt 2 \\(retry\\) {2}not accepted {2}next at `));
    expect(lines).toHaveLength(9);
    expect(lines[7]).toBe(`500 ${hook}  attempt 8 (retry)  not accepted  given up  ? ms`);
    expect(lines[8]).toBe(`500 ${hook}  attempt 9 (redelivery)  not accepted  ? ms`);
    expect(json[0]).toMatchObject({
      type: 'delivery',
      corruption: 'bad-signature',
      delivered: false,
      error: expect.any(String),
      next_attempt_at: expect.stringMatching(/^\d{4}-/),
    });
  });
});

test('all times are those of UTC, and say so', async () => {
  vi.stubEnv('TZ', 'America/Caracas');
  cleanups.push(() => vi.unstubAllEnvs());
  const sandbox = createSandbox({ clock: 'manual' });
  const texts: (string | undefined)[] = [];
  const textOf = readableLines(plain);
  cleanups.push(
    () => sandbox.close(),
    sandbox.onActivity((activity) => texts.push(textOf(activity))),
  );
  await call(sandbox, '/nothing');
  expect(texts[0]).toMatch(new RegExp(`^${sandbox.now.toISOString().slice(11, 19)}Z 404`));
});

describe('the warnings of a request', () => {
  test('a repeated key with another payload shows both values, masked and different from each other', async () => {
    const { sandbox, lines, json } = watched({}, true);
    sandbox.webhooks.subscribe({ handler: () => new Response() });
    await call(sandbox, '/airtime/purchase', airtime);
    await call(sandbox, '/airtime/purchase', { ...airtime, recipient: '08099994567', amount: 700 });
    lines.splice(0);
    await call(sandbox, '/airtime/purchase', { ...airtime, recipient: '08099994567', amount: 600 });
    const [{ reference } = { reference: '' }] = sandbox.transactions;
    expect(lines).toEqual([
      `202 POST /api/v1/airtime/purchase  MTN  …4567  NGN 500.00  ${reference}  ? ms`,
      'warning: key repeated with a different recipient and amount: the original was returned, nothing new was bought (recipient was …34567, this request says …94567; amount was 500, this request says 600)',
    ]);
    expect(json.at(-1)).toMatchObject({
      replayed: true,
      warnings: [
        {
          code: 'key-repeated-with-other-payload',
          differences: [
            { field: 'recipient', original: '…34567', repeated: '…94567' },
            { field: 'amount', original: 500, repeated: 600 },
          ],
        },
      ],
    });
  });

  test('each is explained once, and named by its code from then on', async () => {
    const { sandbox, lines } = watched({}, true);
    const { secretKey } = sandbox.credentials;
    const buy = (key: string) =>
      sandbox.fetch(
        new Request(`${sandbox.baseUrl}/data/purchase`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secretKey}` },
          body: new TextEncoder().encode(
            JSON.stringify({
              client_id,
              biller: 'MTN',
              recipient: 8031234567,
              product_code: 'MTN-2GB-1D',
              idempotency_key: key,
              fone: '\u001b[2J',
            }),
          ),
        }),
      );
    await buy('a');
    const first = lines.splice(0).slice(1);
    expect(first).toEqual([
      'warning: Content-Type is missing: send application/json with every body',
      'warning: fone is not a field of this call and was ignored',
      'warning: recipient is a number, which loses leading zeros: send it as a string',
      'warning: this client has no webhook subscription, so it is not notified of the settlement',
      'warning: amount is left out: send the listed price, so that a changed price is refused and not charged',
    ]);
    await buy('b');
    expect(lines).toEqual([
      expect.stringMatching(
        / \d+ ms {2}warnings: content-type-missing, numeric-recipient, no-webhook-subscription, no-price-guard$/,
      ),
      'warning: fone is not a field of this call and was ignored',
    ]);
  });
});

test('nothing is printed of anything else', () => {
  const { sandbox, lines, json } = watched();
  sandbox.client().fund(1);
  sandbox.faults.add({ status: 500 }).remove();
  expect([lines, json]).toEqual([[], []]);
});
