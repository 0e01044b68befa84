import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../../src/sandbox/command/run.js';
import { verifyWebhook } from '../../../src/webhooks/index.js';
import { buildCommand } from '../../support/build-command.js';
import { FakeProcess } from '../../support/fake-process.js';
import { Program } from '../../support/program.js';
import { serve } from '../../support/serve.js';
import { freePort } from '../../support/sockets.js';

let folder: string;
let command: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'billpay-subcommands-'));
  command = await buildCommand(folder);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the real command, which ends with the test. */
function start(args: readonly string[], env: Record<string, string> = {}): Program {
  const program = new Program(process.execPath, [command, ...args], {
    env: { BILLPAY_SANDBOX_URL: undefined, ...env },
  });
  cleanups.push(() => program.end());
  return program;
}

/** A running sandbox, and a function that runs subcommands against it. */
async function sandbox(...flags: readonly string[]) {
  const program = start(['--json', '--port', '0', '--settle-after', 'manual', ...flags]);
  const [, first = ''] = await program.prints(/^(.*)\n/);
  const { port, control_token } = JSON.parse(first);
  const origin = `http://127.0.0.1:${port}`;
  return { program, origin, token: control_token, run: (...args: string[]) => run(['--url', origin], args) };
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a subcommand in this process, where its coverage is measured. */
async function run(address: readonly string[], args: readonly string[]): Promise<Ended> {
  const around = new FakeProcess();
  const code = await runCommand([...args, ...address], around);
  const isText = !args.includes('--json');
  expect(around.written.split('\n').filter((line) => isText && line.length > 80)).toEqual([]);
  return { code, out: around.written, err: around.complaints };
}

/** Starts `listen` in this process; the test's end interrupts it. */
function listen(...args: readonly string[]) {
  const around = new FakeProcess();
  const ended = runCommand(['listen', ...args], around);
  const interrupt = () => {
    around.emit('SIGINT');
    return ended;
  };
  cleanups.push(interrupt);
  const until = (wanted: string | RegExp) =>
    around.until((written) => (written.search(wanted) < 0 ? undefined : written));
  return { until, interrupt };
}

const referenceIn = (text: string): string => /TXN-\w{16}/.exec(text)?.[0] ?? '';

describe('trigger', () => {
  test('makes happen what its name says', async () => {
    const { run } = await sandbox();
    const outputs: readonly (readonly [string, RegExp])[] = [
      [
        'success',
        /^202 airtime\/purchase {2}Your purchase was accepted .*\nTXN-\w+ {2}success {2}NGN 500\.00\nno webhook/,
      ],
      [
        'failed',
        /^202 .*\nTXN-\w+ {2}failed {2}NGN 500\.00 refunded\nno webhook: this client has no subscri/,
      ],
      ['pending', /^202 .*\nTXN-\w+ {2}pending {2}NGN 500\.00\n$/],
      ['provider-unavailable', /^503 .*PROVIDER_UNAVAILABLE.*\nnothing was bought\n$/],
      ['queue-unavailable', /^503 .*QUEUE_UNAVAILABLE.*\nnothing was bought\n$/],
      ['verification-failed', /^422 tv\/validate {2}VERIFICATION_FAILED.*\nnothing was bought\n$/],
      [
        'response-lost',
        /^--- .*closed without a response\nTXN-\w+ {2}pending .*\nthe same key returns it: t/,
      ],
      ['server-error', /^500 .*GATEWAY_ERROR.*\nTXN-\w+ {2}pending .*\nthe same key returns it: trigger-/],
      ['proxy-page', /^502 .*an HTML page instead of JSON\nTXN-\w+ {2}pending .*\nthe same key returns it: /],
    ];
    for (const [name, output] of outputs) {
      expect(await run('trigger', name)).toEqual({ code: 0, err: '', out: expect.stringMatching(output) });
    }
    expect((await run('audit')).out).toMatch(/^The books balance: 6 transactions, 6 debits/);
  });

  test('slow, on a manual clock', async () => {
    const { run } = await sandbox('--clock', 'manual');
    const { code, out } = await run('trigger', 'slow', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      trigger: 'slow',
      ok: true,
      status: 202,
      transaction: { state: 'pending' },
    });
  });

  test('sells every product, and repeats a key', async () => {
    const { run } = await sandbox();
    for (const product of ['data', 'tv', 'electricity', 'edu']) {
      const { out } = await run('trigger', 'success', '--product', product, '--key', product, '--json');
      expect(JSON.parse(out)).toMatchObject({ ok: true, transaction: { product, state: 'success' } });
    }
    const { code } = await run('trigger', 'success', '--product', 'edu', '--key', 'edu');
    expect(code).toBe(0);
    expect((await run('audit')).out).toContain('4 transactions, 4 debits');
  });

  test('ends with 1 where something else happens, and with 2 for a wrong command line', async () => {
    const { run } = await sandbox();
    await run('faults', 'add', '--status', '500');
    expect(await run('trigger', 'success')).toMatchObject({ code: 1, out: expect.stringMatching(/^500 /) });
    expect(await run('trigger', 'nonsense')).toMatchObject({
      code: 2,
      err: expect.stringContaining('knows no trigger nonsense; it knows success, failed, pending'),
    });
    expect(await run('trigger', 'success', '--product', 'data', '--amount', '700')).toMatchObject({
      code: 2,
      err: 'billpay sandbox trigger: --amount is for airtime and electricity; the catalogue has the price of data\n',
    });
    expect(await run('trigger')).toMatchObject({
      code: 2,
      err: 'billpay sandbox trigger: needs a NAME; see --help\n',
    });
    expect(await run('trigger', 'failed', '--client', 'nobody')).toMatchObject({
      code: 1,
      err: 'billpay sandbox trigger: There is no client nobody in this sandbox.\n',
    });
  });
});

test('settle settles a pending transaction, once', async () => {
  const { run } = await sandbox();
  const reference = referenceIn((await run('trigger', 'pending')).out);
  const settled = await run('settle', reference, 'failed');
  expect(settled).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${reference}  failed  NGN 500.00 refunded`),
  });
  expect(await run('settle', reference, 'failed')).toMatchObject({ code: 0 });
  expect(await run('settle', reference, 'success')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is failed already, which is final'),
  });
  expect(await run('settle', 'TXN-1', 'success')).toMatchObject({ code: 1 });
  expect(await run('settle', reference, 'maybe')).toMatchObject({ code: 2 });
  expect(await run('settle')).toMatchObject({ code: 2 });
});

test('faults are added with every field, listed and removed', async () => {
  const { run } = await sandbox();
  expect(await run('faults')).toMatchObject({ code: 0, out: 'No fault is active.\n' });
  const fields = [
    ...['--operation', 'airtime.purchase', '--operation', 'data.purchase', '--recipient', '0803'],
    ...['--client', 'client_default', '--times', 'always', '--after', '--delay', '20ms', '--status', '503'],
    ...['--code', 'QUEUE_UNAVAILABLE', '--message', 'Later', '--body', '{"a":1}', '--header', 'X-A: b: c'],
    ...['--retry-after', '2', '--cut-body', 'half'],
  ];
  const added = await run('faults', 'add', ...fields, '--json');
  expect(JSON.parse(added.out)).toEqual({
    id: 1,
    operation: ['airtime.purchase', 'data.purchase'],
    recipient: '0803',
    clientId: 'client_default',
    times: 'always',
    when: 'after',
    delay: '20ms',
    status: 503,
    code: 'QUEUE_UNAVAILABLE',
    message: 'Later',
    body: { a: 1 },
    headers: { 'X-A': 'b: c' },
    retryAfter: 2,
    cutBody: true,
    remaining: 'always',
    used: 0,
  });
  expect((await run('faults', 'add', '--close')).out).toBe(
    '  2  the next call gets no connection, 0 of 1 used\n',
  );
  expect((await run('faults', 'list')).out.match(/^ {2}\d {2}/gm)).toEqual(['  1  ', '  2  ']);
  expect(await run('faults', 'remove', '1')).toMatchObject({ code: 0 });
  expect(await run('faults', 'remove', '1')).toMatchObject({ code: 1 });
  expect(await run('faults', 'remove', 'all')).toMatchObject({ code: 0 });
  expect((await run('faults')).out).toBe('No fault is active.\n');
  expect(await run('faults', 'add', '--status', '9')).toMatchObject({
    code: 1,
    err: 'billpay sandbox faults: --status: must be an HTTP status from 200 to 599; got 9\n',
  });
  expect(await run('faults', '--status', '500')).toMatchObject({ code: 2 });
  expect(await run('faults', 'add', '--times', '2')).toMatchObject({
    code: 2,
    err: 'billpay sandbox faults: add needs at least one effect: --delay, --status, --body, --header, --retry-after, --close, --cut-body\n',
  });
  expect(await run('faults', 'romove')).toMatchObject({
    code: 2,
    err: 'billpay sandbox faults: knows list, add and remove, not romove (did you mean remove?); see --help\n',
  });
  expect(await run('faults', 'add', '--header', 'none')).toMatchObject({ code: 2 });
});

test('reset sets everything back, and the audit says so', async () => {
  const { run } = await sandbox();
  await run('trigger', 'success');
  expect((await run('audit')).out).toMatch(
    /^The books balance: 1 transaction, 1 debit of NGN 500\.00, 0 refunds/,
  );
  expect(await run('reset')).toMatchObject({ code: 0 });
  const { code, out } = await run('audit', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ ok: true, transactions: 0 });
});

/** A receiver with a queue of responses, and what it received. */
async function receiver(...statuses: number[]) {
  const received: { headers: IncomingMessage['headers']; body: string }[] = [];
  const origin = await serve(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  return { url: `${origin}/hook`, received };
}

describe('listen', () => {
  test('prints, verifies and forwards deliveries; the receiver decides about the retry', async () => {
    const { run, origin } = await sandbox('--clock', 'manual');
    const { url, received } = await receiver(500, 204);
    const listening = start(['listen', '--forward-to', url, '--url', origin]);
    const [, secret = ''] = await listening.prints(/BILLPAY_WEBHOOK_SECRET=(\w+)\n/);

    const { out } = await run('trigger', 'success');
    expect(out).toContain('webhook transaction.completed: the receiver responded 500, next attempt at');
    await fetch(`${origin}/_sandbox/clock/run`, { method: 'POST' });
    await listening.prints(/204 <- .* ms\n/);
    const text = listening.printed;
    const line = `transaction.completed ${referenceIn(out)}`;
    expect(text).toContain(`Forwarding to ${url}\n`);
    expect(text).toMatch(new RegExp(`^500 <- ${line} \\d+ ms`, 'm'));
    expect(text).toMatch(new RegExp(`^204 <- ${line} \\d+ ms$`, 'm'));
    const [delivery] = received;
    const sandboxNow = new Date(Number(delivery?.headers['x-service-timestamp']) * 1000);
    expect(
      verifyWebhook({
        body: delivery?.body ?? '',
        headers: delivery?.headers ?? {},
        secret,
        now: sandboxNow,
      }),
    ).toMatchObject({ event: 'transaction.completed' });

    expect(await listening.end('SIGINT')).toBe(0);
    expect((await run('trigger', 'success')).out).toContain('no webhook: this client has no subscription');
  });

  test('a forged delivery is forwarded and said to be one', async () => {
    const { run, origin } = await sandbox();
    const { url } = await receiver(400);
    const { until } = listen('--forward-to', url, '--url', origin);
    await until('SECRET=');
    await fetch(`${origin}/_sandbox/deliveries/corrupt`, { method: 'POST', body: '{"how":"bad-signature"}' });
    await run('trigger', 'success');
    expect(await until(/400 <- .*\n/)).toContain('not verified: ');
  });

  test('a receiver that is down is said in its own words, and nothing is forwarded without one', async () => {
    const { run, origin } = await sandbox();
    const down = listen('--forward-to', 'http://127.0.0.1:1/', '--url', origin, '--json');
    await down.until('ready');
    expect((await run('trigger', 'success')).out).toMatch(
      /webhook transaction\.completed: .*(bad port|ECONNREFUSED)/,
    );
    expect(await down.interrupt()).toBe(0);
    const printing = listen('--url', origin);
    await printing.until('SECRET=');
    expect((await run('trigger', 'failed')).out).toContain('transaction.failed: the receiver responded 200');
    await printing.until(/200 <- transaction\.failed TXN-\S+ \d+ ms\n/);
  });

  test('waits for a sandbox that is started again', async () => {
    const first = await sandbox();
    const port = new URL(first.origin).port;
    const { until } = listen('--url', first.origin);
    await until('SECRET=');
    await first.program.end('SIGTERM');
    await until('The connection to the sandbox was lost; trying again every second.');
    const again = start(['--port', port, '--quiet', '--settle-after', 'manual']);
    await again.prints(/Ctrl-C/);
    await until(/SECRET=(.|\n)*SECRET=/);
    expect((await first.run('trigger', 'success')).out).toContain('the receiver responded 200');
  });

  test.each([
    [['listen', '--forward-to', 'nowhere'], 2, /--forward-to must be an http or https URL/],
    [['listen', '--secret', 'short'], 1, /^billpay sandbox listen: --secret: must be whsec_/],
    [['listen', '--client', 'nobody'], 1, /There is no client nobody/],
  ] as const)('%j is refused', async (args, code, problem) => {
    const { run } = await sandbox();
    expect(await run(...args)).toMatchObject({ code, err: expect.stringMatching(problem) });
  });
});

describe('the address and the token', () => {
  test('a sandbox that is open to a network wants its token', async () => {
    const { run: without, origin, token } = await sandbox('--host', '0.0.0.0', '--allow-remote');
    expect(await without('audit')).toMatchObject({
      code: 1,
      err: expect.stringContaining('BILLPAY_SANDBOX_TOKEN'),
    });
    expect(await without('audit', '--control-token', token)).toMatchObject({ code: 0 });
    const audit = start(['audit'], {
      BILLPAY_SANDBOX_URL: `${origin}/api/v1`,
      BILLPAY_SANDBOX_TOKEN: token,
    });
    expect([await audit.ended, audit.printed]).toEqual([0, expect.stringContaining('The books balance')]);
  });

  test('nothing that responds is 3, and so is something else', async () => {
    expect(await run(['--url', `http://127.0.0.1:${await freePort()}`], ['audit'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('start one with npx billpay sandbox'),
    });
    const address = await serve((_, response) => response.writeHead(404).end('nothing here'));
    expect(await run(['--url', address], ['reset'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('is not a billpay sandbox'),
    });
    expect(await run(['--url', 'nonsense'], ['audit'])).toMatchObject({ code: 2 });
  });
});

test('a wrong subcommand is named', async () => {
  expect(await run([], ['lisen'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('has no subcommand lisen'),
  });
});
