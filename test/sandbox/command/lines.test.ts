import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { colours, plain } from '../../../src/cli/terminal.js';
import { jsonLine, readableLines } from '../../../src/sandbox/command/lines.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { serve } from '../../support/serve.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A sandbox and the lines that it prints, without times. */
function watched(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ clock: 'manual', settleAfter: 'manual', seed: 'lines', ...options });
  const lines: string[] = [];
  const json: Record<string, unknown>[] = [];
  const textOf = readableLines(plain);
  cleanups.push(
    () => sandbox.close(),
    sandbox.onActivity((activity) => {
      const text = textOf(activity) ?? '';
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      const shown = text.replaceAll(/^\d\d:\d\d:\d\dZ |^ {10}/gm, '').replaceAll(/\d+ ms$/gm, '? ms');
      lines.push(...shown.split('\n').filter(Boolean));
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
  const printed = `${lines.join('')}${JSON.stringify(Object.values(json[0] ?? {}))}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
  expect(printed).not.toMatch(/[\u0000-\u001f]|\\u00/);
});

describe('a request in one line', () => {
  it.each<[string, (sandbox: Sandbox) => Promise<void>, string]>([
    [
      'a response that was cut off',
      (sandbox) => {
        sandbox.faults.add({ cutBody: 10 });
        return call(sandbox, '/airtime/purchase', airtime);
      },
      '202 airtime/purchase MTN …4567 NGN 500.00 TXN-REF cut off\nfault: body cut off',
    ],
    [
      'a connection that closed before anything was done',
      (sandbox) => {
        sandbox.faults.add({ connection: 'close', delay: 0 });
        return call(sandbox, '/airtime/purchase', airtime);
      },
      '--- airtime/purchase MTN …4567 connection closed ? ms\nfault: held 0ms, connection closed',
    ],
  ])('%s', async (_, act, line) => {
    const { sandbox, lines } = watched();
    sandbox.webhooks.subscribe({ handler: () => new Response() });
    await act(sandbox);
    expect(lines.map((text) => text.replace(/TXN-\w{16}/, 'TXN-REF'))).toEqual(line.split('\n'));
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

    const head = `<- transaction.failed ${reference} ? ms`;
    expect(lines.splice(0, 1)).toEqual([`    failed, refunded ${reference} MTN …4567 NGN 500.00`]);
    expect(json.shift()).toMatchObject({ type: 'settlement', reference, state: 'failed', refunded: true });
    const [first = '', ...attempts] = lines.join(' ').split(` ${head}`);
    expect(first).toBe('---');
    expect(attempts).toHaveLength(9);
    // With a date where it is on the next day.
    expect(attempts[0]).toMatch(
      /^ attempt 1 to http:\S+\/h, bad-signature, .+, next at (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ 500$/,
    );
    expect(attempts[1]).toMatch(new RegExp(`^ attempt 2 \\(retry\\) to ${url}, next at `));
    expect(attempts[7]).toBe(` attempt 8 (retry) to ${url}, given up 500`);
    expect(attempts[8]).toBe(` attempt 9 (redelivery) to ${url}`);
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
    const { sandbox, lines, json } = watched();
    sandbox.webhooks.subscribe({ handler: () => new Response() });
    await call(sandbox, '/airtime/purchase', airtime);
    await call(sandbox, '/airtime/purchase', { ...airtime, recipient: '08099994567', amount: 700 });
    lines.splice(0);
    await call(sandbox, '/airtime/purchase', { ...airtime, recipient: '08099994567', amount: 600 });
    const [{ reference } = { reference: '' }] = sandbox.transactions;
    expect(lines).toEqual([
      `202 airtime/purchase MTN …4567 NGN 500.00 ${reference} ? ms`,
      'warning: key repeated with a different recipient and amount: the',
      'original was returned, nothing new was bought (recipient was …34567,',
      'this request says …94567; amount was 500, this request says 600)',
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
    const { sandbox, lines } = watched();
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
    expect(
      lines
        .splice(0)
        .slice(1)
        .join(' ')
        .split(/ (?=warning)/),
    ).toEqual([
      'warning: Content-Type is missing: send application/json with every body',
      'warning: fone is not a field of this call and was ignored',
      'warning: recipient is a number, which loses leading zeros: send it as a string',
      'warning: this client has no webhook subscription, so it is not notified of the settlement',
      'warning: amount is left out: send the listed price, so that a changed price is refused and not charged',
    ]);
    await buy('b');
    expect(lines.slice(1)).toEqual([
      'warnings: content-type-missing, numeric-recipient,',
      'no-webhook-subscription, no-price-guard',
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

describe('for any activity', () => {
  /** A purchase of any family, as its documents say or with a text of the caller's own in its place. */
  const anyText = fc.string({ unit: 'binary-ascii', maxLength: 120 });
  const amount = fc.integer({ min: 1, max: 10_000_000_000 }).map((kobo) => kobo / 100);
  const body = fc.record({
    biller: fc.oneof(fc.constantFrom('9MOBILE', 'IKEDC', 'STARTIMES', 'JAMB'), anyText),
    recipient: fc.oneof(fc.constantFrom('08031234567', '08000000001', '08000000005'), anyText),
    meter_type: fc.constantFrom('prepaid', 'postpaid'),
    product_code: fc.oneof(fc.constantFrom('MTN-2GB-1D', 'JAMB-UTME'), anyText),
    amount: fc.oneof(amount, anyText),
    idempotency_key: fc.constantFrom('a', 'b'.repeat(80)),
  });
  const path = fc.oneof(
    fc.constantFrom(...['airtime', 'data', 'tv', 'electricity', 'edu'].map((name) => `/${name}/purchase`)),
    fc.webPath().map((text) => `/${text.replaceAll(/[^\w/]/g, 'x')}${'/long'.repeat(text.length)}`),
  );
  const fault = fc.option(
    fc.oneof(
      fc.record({ cutBody: fc.nat(20), when: fc.constant('after' as const) }),
      fc.record({ connection: fc.constant('close' as const), delay: fc.nat(90_000) }),
      fc.record({
        status: fc.constantFrom(422, 503),
        code: anyText.filter(Boolean),
        retryAfter: fc.constantFrom(2, 'x'.repeat(90)),
      }),
    ),
    { nil: undefined },
  );
  const status = fc.option(fc.constantFrom(200, 204, 302, 404, 503), { nil: undefined });

  it('no line is longer than 80 columns, coloured or not, and each reference is whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ path, body, fault }), { minLength: 1, maxLength: 8 }),
        status,
        fc.webUrl({ withQueryParameters: true }),
        async (requests, receiverStatus, url) => {
          const sandbox = createSandbox({ clock: 'manual', settleAfter: '1s', balance: 1e12 });
          const texts = { plain: '', coloured: '' };
          const [plainOf, colouredOf] = [readableLines(plain), readableLines(colours)];
          sandbox.onActivity((activity) => {
            const text = plainOf(activity);
            if (text !== undefined) texts.plain += `${text}\n`;
            const coloured = colouredOf(activity);
            if (coloured !== undefined) texts.coloured += `${coloured}\n`;
          });
          sandbox.webhooks.intercept({
            url,
            handler: () => {
              if (receiverStatus === undefined) throw new Error('x'.repeat(300));
              return new Response(null, { status: receiverStatus });
            },
          });
          for (const { path: target, body: fields, fault: next } of requests) {
            if (next) sandbox.faults.add(next);
            const sending = call(sandbox, target, { client_id, ...fields });
            await sandbox.advance('100s');
            await sending;
          }
          await sandbox.runUntilIdle();
          expect(stripVTControlCharacters(texts.coloured)).toBe(texts.plain);
          const lines = texts.plain.split('\n');
          expect(lines.filter((line) => line.length > 80)).toEqual([]);
          for (const { reference } of sandbox.transactions) {
            expect(lines.filter((line) => line.includes(reference)).length).toBeGreaterThanOrEqual(2);
          }
          await sandbox.close();
        },
      ),
      { numRuns: 40 },
    );
  });
});
