import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { plain } from '../../../src/cli/terminal.js';
import { banner } from '../../../src/sandbox/command/banner.js';
import { runCommand } from '../../../src/sandbox/command/run.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { version } from '../../../src/version.js';
import { FakeProcess } from '../../support/fake-process.js';
import { serve } from '../../support/serve.js';

const running: { around: FakeProcess; ended: Promise<number> }[] = [];

function start(args: string, terminal?: { isTTY?: boolean; hasColors?: () => boolean }) {
  const around = new FakeProcess(terminal);
  const ended = runCommand(args.split(' ').filter(Boolean), around);
  running.push({ around, ended });
  return { around, ended };
}

afterEach(async () => {
  for (const { around, ended } of running.splice(0)) {
    around.emit('SIGINT');
    await ended;
  }
});

interface Start {
  base_url: string;
  console_url: string;
  port: number;
  client_id: string;
  secret_key: string;
  webhook_secret?: string;
}

const jsonLines = (written: string): Record<string, unknown>[] =>
  written
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function startJson(args = '') {
  const { around, ended } = start(`--json --port 0 ${args}`);
  await around.until((written) => (written.includes('\n') ? true : undefined));
  const first: Start = JSON.parse(around.written.split('\n')[0] ?? '');
  const post = (path: string, body: object) =>
    fetch(`${first.base_url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${first.secret_key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: first.client_id, ...body }),
    });
  return { around, ended, first, post };
}

const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'k-1' };

const receiver = async () =>
  `${await serve((request, response) => request.resume().on('end', () => response.end()))}/hook`;

describe('ports', () => {
  it('takes the next free one where none was asked for', async () => {
    const first = start('--quiet');
    const second = start('--quiet');
    const port = (written: string) => /Address +http:\/\/127\.0\.0\.1:(\d+)\/api\/v1/.exec(written)?.[1];
    const ports = [await first.around.until(port), await second.around.until(port)].map(Number);
    expect(new Set(ports).size).toBe(2);
    for (const taken of ports) expect(taken).toBeGreaterThanOrEqual(4010);
  });

  it('says in words that the default port is busy', async () => {
    const other = createServer();
    // A machine where something else has the port already is as good.
    await new Promise<void>((resolve) => {
      other.once('error', () => resolve());
      other.listen(4010, '127.0.0.1', resolve);
    });
    const { around } = start('--json --quiet');
    await around.until((written) => written || undefined);
    const { port } = JSON.parse(around.written);
    other.close();
    expect(around.complaints).toBe(`billpay sandbox: port 4010 is in use, so this one listens on ${port}\n`);
  });

  it('says in one line that the one that was asked for is busy', async () => {
    const { first } = await startJson();
    const { around, ended } = start(`--port ${first.port}`);
    expect(await ended).toBe(2);
    expect(around.written).toBe('');
    expect(around.complaints).toBe(
      `billpay sandbox: port ${first.port} is in use or not allowed; give another, or leave --port out for a free one\n`,
    );
  });
});

describe('from one start to the next', () => {
  /** Starts, buys once, and ends. */
  async function oneRun(args: string) {
    const { around, ended } = start(`--port 0 --json --quiet --settle-after manual ${args}`);
    const line = await around.until((written) => (written.includes('\n') ? written : undefined));
    const { base_url, client_id, secret_key, public_key, webhook_secret } = JSON.parse(line);
    const response = await fetch(`${base_url}/airtime/purchase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id,
        biller: 'MTN',
        recipient: '0803',
        amount: 5,
        idempotency_key: 'one',
      }),
    });
    const { data } = await response.json();
    around.emit('SIGINT');
    expect(await ended).toBe(0);
    return { keys: [secret_key, public_key, webhook_secret], reference: data.reference };
  }

  it.each(['', '--seed fixed'])('keys are stable and references are new: %j', async (args) => {
    const [first, second] = [await oneRun(args), await oneRun(args)];
    expect(second.keys).toEqual(first.keys);
    expect(second.reference).not.toBe(first.reference);
  });

  it('with references that the configuration file calls seeded, the reference is the same one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-command-'));
    const file = join(folder, 'sandbox.json');
    writeFileSync(file, JSON.stringify({ seed: 'probe', references: 'seeded' }));
    expect((await oneRun(`--config ${file}`)).reference).toBe((await oneRun(`--config ${file}`)).reference);
    rmSync(folder, { recursive: true });
  });

  it('with --state the transaction and the secret of --webhook-url are the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-command-'));
    const args = `--state ${join(folder, 'sandbox.state')} --webhook-url http://127.0.0.1:9/hook`;
    const [first, second] = [await oneRun(args), await oneRun(args)];
    expect(second).toEqual(first);
    rmSync(folder, { recursive: true });
  });

  it('--config is read, flags win over it, and what is wrong in it is said in one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-command-'));
    const file = join(folder, 'sandbox.json');
    writeFileSync(
      file,
      JSON.stringify({ clients: [{ clientId: 'shop', secretKey: 'sk_mine' }], balance: 5 }),
    );
    const { around } = start(`--port 0 --verbose --config ${file} --balance 7`);
    const text = await around.until((written) => (written.includes('Ctrl-C') ? written : undefined));
    expect(text).toContain('shop, NGN 7.00');
    expect(text).toContain('BILLPAY_API_KEY=sk_mine');

    writeFileSync(file, '{"balanse":5}');
    const wrong = start(`--config ${file}`);
    expect(await wrong.ended).toBe(2);
    expect(wrong.around.complaints).toMatch(/^billpay sandbox: balanse.*\n$/);
    rmSync(folder, { recursive: true });
  });

  it('open to a network, it prints the control token that it made', async () => {
    const { around } = start('--port 0 --host 0.0.0.0 --allow-remote');
    const text = await around.until((written) => (written.includes('Ctrl-C') ? written : undefined));
    expect(text).toMatch(/Control token +[\da-f]{48}\n/);
  });
});

describe('what cannot be used', () => {
  it.each([
    [
      '--port 0 --state /missing/folder/x',
      1,
      '--state /missing/folder/x cannot be used (ENOENT): make its folder first',
    ],
    [
      '--port 0 --host 203.0.113.7 --allow-remote',
      2,
      '--host 203.0.113.7 is not an address of this machine; leave it out for 127.0.0.1',
    ],
    [
      '--port 0 --host 0.0.0.0',
      2,
      '--host: lets other machines in; use 127.0.0.1, or say so with --allow-remote',
    ],
    [
      '--webhook-url http://example.com/',
      2,
      '--webhook-url must be https: http is accepted for loopback hosts only (localhost, 127.0.0.1, [::1])',
    ],
    ['--port 0 --config /missing.json', 2, expect.stringMatching(/^--config: cannot be read: ENOENT/)],
    [
      '--port 0 --allow-webhook-host http://app',
      2,
      '--allow-webhook-host must be a host name without scheme and port, such as app, not http://app',
    ],
    [
      'liten',
      2,
      'has no subcommand liten (did you mean listen?): it has trigger, settle, listen, audit, faults, reset; see --help',
    ],
  ])('%s is one line', async (line, exitCode, message) => {
    const { around, ended } = start(line);
    expect(await ended).toBe(exitCode);
    expect(around.complaints.split('\n')).toEqual([expect.stringMatching(/^billpay sandbox: /), '']);
    expect(around.complaints.slice('billpay sandbox: '.length, -1)).toEqual(message);
  });

  it('in a configuration file keeps the name that it has there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-command-'));
    const file = join(folder, 'sandbox.json');
    const refusal = async (config: object) => {
      writeFileSync(file, JSON.stringify(config));
      const { around, ended } = start(`--port 0 --config ${file}`);
      expect(await ended).toBe(2);
      return around.complaints;
    };
    expect(await refusal({ listen: { alowRemote: true } })).toBe(
      'billpay sandbox: listen.alowRemote: is not an option of the sandbox (did you mean allowRemote?); the options are port, host, allowRemote, controlToken\n',
    );
    expect(await refusal({ listen: { host: '0.0.0.0' } })).toBe(
      'billpay sandbox: host: lets other machines in; use 127.0.0.1, or say so with { allowRemote: true }\n',
    );
    rmSync(folder, { recursive: true });
  });
});

describe('help', () => {
  it.each(['', 'trigger', 'settle', 'listen', 'audit', 'faults', 'reset'])(
    'of %j fits 80 columns',
    async (name) => {
      const { around, ended } = start(`${name} --help`);
      expect(await ended).toBe(0);
      expect(around.written).toMatch(new RegExp(`^Usage: billpay sandbox ${name}`));
      expect(around.written.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );
});

describe('the banner', () => {
  it.each([
    ['127.0.0.1:4010', ''],
    ['0.0.0.0:4010', ''],
    ['127.0.0.1:4011', ' --url http://127.0.0.1:4011'],
    ['192.168.1.5:4010', ' --url http://192.168.1.5:4010'],
  ])('has a command to try that reaches the sandbox at %s', (at, flag) => {
    const sandbox = createSandbox();
    const listening = {
      baseUrl: `http://${at}/api/v1`,
      port: 0,
      controlToken: undefined,
      close: async () => {},
    };
    const text = banner({ sandbox, listening, options: {}, webhookSecret: undefined }, plain);
    expect(text).toContain(`npx billpay sandbox trigger success${flag}\n`);
  });

  it('says that the command to try needs the control token', () => {
    const sandbox = createSandbox();
    const listening = {
      baseUrl: 'http://192.168.100.100:4010/api/v1',
      port: 4010,
      controlToken: 'a'.repeat(48),
      close: async () => {},
    };
    const text = banner({ sandbox, listening, options: { state: 's' }, webhookSecret: 'whsec_1' }, plain);
    expect(text).toContain(
      'npx billpay sandbox trigger success --control-token TOKEN \\\n  --url http://192.168.100.100:4010\n',
    );
    expect(text.split('\n').length).toBeLessThanOrEqual(15);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('holds everything to begin with, plain where there is no terminal', async () => {
    const { around } = start(
      '--port 0 --verbose --seed s --balance 99.5 --rate-limits --settle-after manual',
    );
    const text = await around.until((written) => (written.includes('Ctrl-C') ? written : undefined));
    const baseUrl = /http:\S+\/api\/v1/.exec(text)?.[0] ?? '';
    const key = /sk_sandbox_\w+/.exec(text)?.[0] ?? '';
    expect(text).toContain(
      `\nBILLPAY_BASE_URL=${baseUrl}\nBILLPAY_API_KEY=${key}\nBILLPAY_CLIENT_ID=client_default\n`,
    );
    expect(text).toMatch(/Page +http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(text).toMatch(/Public key +pk_sandbox_/);
    expect(text).toContain('client_default, NGN 99.50');
    expect(text).toMatch(/Settles +by hand/);
    expect(text).toMatch(/Rate limits +as documented/);
    expect(text).toMatch(/Seed +s\n/);
    for (let last = 1; last <= 9; last++) expect(text).toContain(`0800000000${last}  `);
    expect(text).not.toContain('Webhook secret');
    expect(text).not.toContain('\u001b');
  });

  it.each([
    [true, '\u001b[1mbillpay sandbox\u001b[22m'],
    [false, `billpay sandbox ${version}`],
  ])('is coloured on a terminal that has colours: %s', async (colours, begin) => {
    const { around } = start('--port 0 --quiet', { isTTY: true, hasColors: () => colours });
    const text = await around.until((written) => written || undefined);
    expect(text.startsWith(begin)).toBe(true);
    expect(text.includes('\u001b')).toBe(colours);
  });
});

describe('its lines', () => {
  it('show no tokens, keys, whole recipients and queries of webhook addresses', async () => {
    const url = await receiver();
    const { around } = start(`--port 0 --settle-after 1ms --webhook-url ${url}?secret=1`);
    const text = await around.until((written) => (written.includes('Ctrl-C') ? written : undefined));
    const [baseUrl, key = ''] = [/http:\S+\/api\/v1/.exec(text)?.[0], /sk_sandbox_\w+/.exec(text)?.[0]];
    const headers = { Authorization: `Bearer ${key}` };
    const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid', amount: 5000 };
    const order = { client_id: 'client_default', ...meter, idempotency_key: 'k' };
    const body = JSON.stringify(order);
    const response = await fetch(`${baseUrl}/electricity/purchase`, { method: 'POST', headers, body });
    const { reference } = (await response.json()).data;
    await around.until((written) => written.slice(text.length).includes('<-') || undefined);
    const query = `client_id=client_default&reference=${reference}`;
    const status = await fetch(`${baseUrl}/transactions/status?${query}`, { headers });
    const { token } = (await status.json()).data;
    expect(token).toMatch(/^\d{20}$/);
    const all = await around.until((written) =>
      written.includes(' transactions/status ') ? written.slice(text.length) : undefined,
    );
    expect(all).toContain(reference);
    for (const secret of [token, '0124000952992', 'secret=1', key]) expect(all).not.toContain(secret);
  });

  it('show what went wrong', async () => {
    const { around, post } = await startJson('--settle-after manual');
    await post('/airtime/purchase', { ...airtime, recipient: '08000000005' }).catch(() => undefined);
    await post('/airtime/purchase', { ...airtime, recipient: '08000000005' });
    await post('/airtime/purchase', {
      ...airtime,
      amount: 0,
      biller: '\u001b[31mred',
      idempotency_key: 'k-2',
    });
    const requests = await around.until((written) => {
      const found = jsonLines(written.slice(0, written.lastIndexOf('\n') + 1)).slice(1);
      return found.length >= 3 ? found : undefined;
    });
    expect(requests).toMatchObject([
      { type: 'request', status: 202, outcome: 'closed', recipient: '…0005' },
      { status: 202, outcome: 'complete', replayed: true },
      { status: 422, code: 'VALIDATION_FAILED', biller: '?[31mred' },
    ]);
  });

  it('are JSON objects on request, the first of them the start', async () => {
    const url = await receiver();
    const { around, first, post } = await startJson(`--settle-after 1ms --webhook-url ${url}`);
    expect(first).toMatchObject({
      type: 'start',
      version,
      base_url: `http://127.0.0.1:${first.port}/api/v1`,
      console_url: `http://127.0.0.1:${first.port}/`,
      webhook_secret: expect.stringMatching(/^whsec_/),
    });
    const { data } = await (await post('/airtime/purchase', airtime)).json();
    const delivery = await around.until((written) =>
      jsonLines(written.slice(0, written.lastIndexOf('\n') + 1)).find(({ type }) => type === 'delivery'),
    );
    expect(delivery).toMatchObject({
      event: 'transaction.completed',
      reference: data.reference,
      url: url,
      attempt: 1,
      delivered: true,
      status: 200,
    });
    expect(jsonLines(around.written)[1]).toMatchObject({
      type: 'request',
      method: 'POST',
      path: '/api/v1/airtime/purchase',
      operation: 'airtime.purchase',
      recipient: '…4567',
      amount: 500,
      idempotency_key: 'k-1',
    });
  });

  it('are left out when it is to be quiet', async () => {
    const { around, post } = await startJson('--quiet');
    expect((await post('/airtime/purchase', airtime)).status).toBe(202);
    expect(jsonLines(around.written)).toHaveLength(1);
  });
});

describe('requests that never reach the service', () => {
  it('has a line for a body that is too large, for what is not HTTP, and for headers that are too large', async () => {
    const { around } = start('--port 0');
    const text = await around.until((written) => (written.includes('Ctrl-C') ? written : undefined));
    const baseUrl = /http:\S+\/api\/v1/.exec(text)?.[0] ?? '';
    await fetch(`${baseUrl}/airtime/purchase`, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.end('hello\r\n\r\n'));
    await once(socket.resume(), 'close');
    const response = await fetch(baseUrl, { headers: { 'x-long': 'x'.repeat(20_000) } });
    expect(response.status).toBe(431);
    const lines = await around.until((written) => {
      const after = written.slice(text.length);
      return after.includes('431') ? after : undefined;
    });
    expect(lines).toMatch(/Z 413 airtime\/purchase PAYLOAD_TOO_LARGE \d+ ms\n/);
    expect(lines).toMatch(/Z 400 a request that could not be read, from 127\.0\.0\.1 BAD_REQUEST 0 ms\n/);
    expect(lines).toMatch(/Z 431 a request that could not be read, from 127\.0\.0\.1 BAD_REQUEST/);
  });
});

describe('its end', () => {
  it('comes when nobody reads any more', async () => {
    const { around, ended } = await startJson();
    around.out.emit('error', new Error('EPIPE'));
    expect(await ended).toBe(0);
  });
});
