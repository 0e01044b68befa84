import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCommand, runCommand } from '../../../src/commands/frame.js';
import type { Paint } from '../../../src/commands/terminal.js';
import { banner } from '../../../src/sandbox/command/banner.js';
import { sandboxCommand } from '../../../src/sandbox/command/run.js';
import { listenFields } from '../../../src/sandbox/http/listen-options.js';
import { createSandbox, triggers } from '../../../src/sandbox/index.js';
import { sandboxFields } from '../../../src/sandbox/options.js';
import { version } from '../../../src/version.js';
import { FakeProcess } from '../../support/fake-process.js';
import { serve } from '../../support/serve.js';

const running: { around: FakeProcess; ended: Promise<number> }[] = [];

const plain: Paint = (_, text) => text;

function start(args: string) {
  const around = new FakeProcess();
  const program = createCommand('billpay', around).addCommand(sandboxCommand(around));
  const ended = runCommand(program, ['sandbox', ...args.split(' ').filter(Boolean)], around);
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
  baseUrl: string;
  pageUrl: string;
  port: number;
  clientId: string;
  secretKey: string;
  webhookSecret?: string;
}

async function startJson(args = '') {
  const { around, ended } = start(`--json --port 0 ${args}`);
  await around.until((written) => (written.includes('\n') ? true : undefined));
  const first: Start = JSON.parse(around.written.split('\n')[0] ?? '');
  const post = (path: string, body: object) =>
    fetch(`${first.baseUrl}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${first.secretKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: first.clientId, ...body }),
    });
  return { around, ended, first, post };
}

const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'k-1' };

const receiver = async () =>
  `${await serve((request, response) => request.resume().on('end', () => response.end()))}/hook`;

describe('ports', () => {
  it('takes the next free one where none was asked for', async () => {
    const first = start('--json');
    const second = start('--json');
    const port = (written: string) => /"port":(\d+)/.exec(written)?.[1];
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
    const { baseUrl, clientId, secretKey, publicKey, webhookSecret } = JSON.parse(line);
    const response = await fetch(`${baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: clientId,
        biller: 'MTN',
        recipient: '0803',
        amount: 5,
        idempotency_key: 'one',
      }),
    });
    const { data } = await response.json();
    around.emit('SIGINT');
    expect(await ended).toBe(0);
    return { keys: [secretKey, publicKey, webhookSecret], reference: data.reference };
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
      'state: is in a folder that does not exist: make /missing/folder first',
    ],
    ['--port 0 --state --quiet', '--state needs a value: --state <file>'],
    [
      '--port 0 --host 203.0.113.7 --allow-remote',
      '--host 203.0.113.7 is not an address of this machine; leave it out for 127.0.0.1',
    ],
    [
      '--port 0 --host 0.0.0.0',
      'host: lets other machines in; use 127.0.0.1, or allow it: allowRemote, --allow-remote',
    ],
    [
      '--port 70000',
      "option '--port <number>' argument '70000' is invalid. It must be a whole number from 0 (any free one) to 65535.",
    ],
    ['--settle-after soon', expect.stringMatching(/'soon' is invalid\. It must be a length of time/)],
    ['--clock fake', expect.stringMatching(/'fake' is invalid\. It must be 'real' or 'manual'\.$/)],
    [
      '--webhook-url http://example.com/',
      '--webhook-url must be https: http is accepted for loopback hosts only (localhost, 127.0.0.1, [::1])',
    ],
    [
      '--port 0 --config /missing.json',
      'config: /missing.json cannot be read (ENOENT): check the path and its permissions',
    ],
    [
      '--port 0 --allow-webhook-hosts http://app',
      expect.stringMatching(
        /'http:\/\/app' is invalid\. It must be a list of host names without scheme and port/,
      ),
    ],
    ['--stat x', expect.stringMatching(/unknown option '--stat'.*Did you mean --state\?/)],
  ])('%s is one line', async (line, message) => {
    const { around, ended } = start(line);
    expect(await ended).toBe(2);
    expect(around.written).toBe('');
    expect(around.complaints.split('\n')).toEqual([expect.stringMatching(/^billpay sandbox: /), '']);
    expect(around.complaints.slice('billpay sandbox: '.length, -1)).toEqual(message);
  });
});

describe('help', () => {
  it('comes in three groups, with examples, in 80 columns', async () => {
    const { around, ended } = start('--help');
    expect(await ended).toBe(0);
    const { written } = around;
    expect(written).toMatch(/^Usage: billpay sandbox/);
    const titles = ['Everyday:', 'Network:', 'Reproducible:', 'Examples:'];
    expect(titles.map((title) => written.indexOf(`\n${title}`)).every((at) => at > 0)).toBe(true);
    expect(written.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('of trigger names every trigger', async () => {
    const { around, ended } = start('trigger --help');
    expect(await ended).toBe(0);
    for (const { name } of triggers) expect(around.written).toContain(`  ${name} `);
  });

  it('has a flag for each option but those that only a file can hold', () => {
    const flags = sandboxCommand(new FakeProcess()).options.map((option) => option.attributeName());
    const own = ['webhookUrl', 'verbose', 'quiet', 'json', 'config'];
    const inFiles = ['clients', 'catalogue', 'references', 'webhookTimeout'];
    const fields = Object.keys({ ...listenFields, ...sandboxFields });
    expect(flags.sort()).toEqual([...fields.filter((name) => !inFiles.includes(name)), ...own].sort());
  });
});

describe('the banner', () => {
  const textAt = (baseUrl: string, port: number, controlToken?: string, verbose = false) => {
    const sandbox = createSandbox({ seed: 's', fixtures: true });
    const connection = { apiKey: 'sk_1', clientId: 'a', baseUrl };
    const listening = { baseUrl, port, controlToken, connection, close: async () => {} };
    return banner({ sandbox, listening, options: { state: 's' }, webhookSecret: 'whsec_1' }, plain, verbose);
  };

  it.each([
    ['127.0.0.1:4010', undefined, ''],
    ['127.0.0.1:4011', undefined, ' --url http://127.0.0.1:4011'],
    ['192.168.1.5:4010', 'a'.repeat(16), ' --control-token TOKEN'],
  ])('has a command to try that reaches the sandbox at %s', (at, token, flags) => {
    const text = textAt(`http://${at}/api/v1`, Number(at.split(':')[1]), token);
    expect(text).toContain(`npx billpay sandbox trigger success${flags}\n`);
    expect(text.split('\n').length).toBeLessThanOrEqual(15);
  });

  it('holds what to paste, and all else on request', () => {
    const text = textAt('http://127.0.0.1:4010/api/v1', 4010, undefined, true);
    const key = /sk_sandbox_\w+/.exec(text)?.[0] ?? '';
    expect(text).toContain(
      `\nBILLPAY_BASE_URL=http://127.0.0.1:4010/api/v1\nBILLPAY_API_KEY=${key}\nBILLPAY_CLIENT_ID=client_default\nBILLPAY_WEBHOOK_SECRET=whsec_1\n`,
    );
    expect(text).toMatch(/Page +http:\/\/127\.0\.0\.1:4010\/\n/);
    expect(text).toMatch(/Public key +pk_sandbox_/);
    expect(text).toMatch(/client_empty +sk_sandbox_/);
    for (let last = 1; last <= 9; last++) expect(text).toContain(`0800000000${last}  `);
  });
});

describe('what it prints', () => {
  it('is one line for a purchase with its outcome, and one for a webhook with what the receiver replied', async () => {
    const url = `${await serve((request, response) =>
      request.resume().on('end', () => response.writeHead(500).end('the database is down')),
    )}/hook`;
    const { around } = start(`--port 0 --settle-after 1ms --webhook-url ${url}`);
    const text = await around.until((written) => (written.includes('Ctrl-C') ? written : undefined));
    const [baseUrl, key = ''] = [/http:\S+\/api\/v1/.exec(text)?.[0], /sk_sandbox_\w+/.exec(text)?.[0]];
    const headers = { Authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ client_id: 'client_default', ...airtime });
    await fetch(`${baseUrl}/airtime/purchase`, { method: 'POST', headers, body });
    const lines = await around.until((written) => {
      const after = written.slice(text.length);
      return after.includes('<-') ? after : undefined;
    });
    expect(lines).toMatch(/Z 202 airtime\/purchase MTN 08031234567 NGN 500\.00 TXN-\w+ accepted\n/);
    expect(lines).toMatch(/Z 500 <- transaction\.completed TXN-\w+ "the database is down" next at \S+Z\n/);
  });

  it('is one JSON line on request, and nothing where it is to be quiet', async () => {
    const { around, first, post } = await startJson(`--webhook-url ${await receiver()}`);
    expect(first).toMatchObject({
      version,
      baseUrl: `http://127.0.0.1:${first.port}/api/v1`,
      pageUrl: `http://127.0.0.1:${first.port}/`,
      clientId: 'client_default',
      webhookSecret: expect.stringMatching(/^whsec_/),
    });
    expect((await post('/airtime/purchase', airtime)).status).toBe(202);
    expect(around.written.trimEnd().split('\n')).toHaveLength(1);

    const quiet = start(`--port 0 --quiet`);
    await vi.waitFor(() => expect(quiet.around.listenerCount('SIGINT')).toBe(1));
    quiet.around.emit('SIGINT');
    expect(await quiet.ended).toBe(0);
    expect(quiet.around.written).toBe('');
  });

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
    expect(lines).toMatch(/Z 413 airtime\/purchase refused PAYLOAD_TOO_LARGE: /);
    expect(lines).toMatch(/Z 400 a request that could not be read BAD_REQUEST: /);
    expect(lines).toMatch(/Z 431 a request that could not be read BAD_REQUEST: /);
  });
});

describe('its end', () => {
  it('comes when nobody reads any more', async () => {
    const { around, ended } = await startJson();
    around.stdout.emit('error', new Error('EPIPE'));
    expect(await ended).toBe(0);
  });
});
