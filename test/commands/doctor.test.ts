import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeSqlite } from '../../src/commands/database.js';
import { doctorCommand } from '../../src/commands/doctor/doctor.js';
import type { Finding } from '../../src/commands/doctor/finding.js';
import { judgeClock } from '../../src/commands/doctor/service.js';
import { runCommand } from '../../src/commands/frame.js';
import { mysqlOrderStore, postgresOrderStore, sqliteOrderStore } from '../../src/orders/index.js';
import { createSandbox, type Sandbox, type SandboxConnection } from '../../src/sandbox/index.js';
import { createWebhookHandler, toNodeHandler, verifyWebhook } from '../../src/webhooks/index.js';
import { environmentOf } from '../support/environment.js';
import { FakeProcess } from '../support/fake-process.js';
import { serve } from '../support/serve.js';
import { freePort } from '../support/sockets.js';
import { temporaryFile } from '../support/temporary-file.js';

const webhookSecret = 'whsec_doctor_7f31a9e0b2d8c4f6';

let sandbox: Sandbox;
let connection: SandboxConnection;

beforeEach(async () => {
  sandbox = createSandbox();
  ({ connection } = await sandbox.listen());
});
afterEach(() => sandbox.close());

type Variables = Readonly<Record<string, string>>;

/** The variables of an application that is set up correctly. */
const environment = (): Variables => environmentOf(connection);

class DoctorProcess extends FakeProcess {
  override readonly env: Record<string, string | undefined>;
  override readonly versions: NodeJS.ProcessVersions;
  constructor(env: Variables, { node = process.versions.node, folder = process.cwd(), terminal = {} } = {}) {
    super(terminal);
    this.env = { ...env };
    this.versions = { ...process.versions, node };
    this.cwd = () => folder;
  }
}

/** Runs the command. It must print no secret. */
async function run(args: readonly string[], env: Variables = {}, options: object = {}) {
  const around = new DoctorProcess(env, options);
  const exitCode = await runCommand(doctorCommand(around), args, around);
  const { written: out, complaints: err } = around;
  const { password = '' } = env['BILLPAY_DATABASE_URL'] ? new URL(env['BILLPAY_DATABASE_URL']) : {};
  for (const secret of [env['BILLPAY_API_KEY'], env['BILLPAY_WEBHOOK_SECRET'], password])
    if (secret) expect(out + err).not.toContain(secret);
  return { exitCode, out, err };
}

/** The answers of `--json`, by their questions: `status` and `message` of the last finding of each. */
async function examine(env: Variables, options: object = {}, args: readonly string[] = []) {
  const { exitCode, out, err } = await run(['--json', ...args], env, options);
  expect(err).toBe('');
  const { ok, findings }: { ok: boolean; findings: Finding[] } = JSON.parse(out);
  expect(exitCode).toBe(ok ? 0 : 1);
  const by = (name: 'status' | 'message') =>
    Object.fromEntries(findings.map((finding) => [finding.check, finding[name]]));
  return { ok, status: by('status'), message: by('message'), findings };
}

const quiet = { info() {}, warn() {}, error() {} };

/** A receiver as the documentation shows it, and how it answered. */
async function receiver(secret = webhookSecret) {
  const answers: number[] = [];
  const handler = createWebhookHandler({
    secret,
    on: { 'transaction.completed': () => {} },
    onDelivery: ({ status }) => answers.push(status),
    logger: quiet,
  });
  return { url: `${await serve(toNodeHandler(handler))}/webhooks`, answers };
}

describe('billpay doctor', () => {
  it('answers six questions about an application that is set up correctly, and only reads', async () => {
    const { url, answers } = await receiver();
    const { exitCode, out } = await run(['--webhook-url', url], {
      ...environment(),
      BILLPAY_WEBHOOK_SECRET: webhookSecret,
    });
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/\s+/, 2)),
    ).toEqual([
      ['ok', 'node'],
      ['ok', 'credentials'],
      ['ok', 'service'],
      ['ok', 'clock'],
      ['ok', 'webhook'],
      ['skipped', 'store'],
    ]);
    expect(exitCode).toBe(0);
    expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/data/products',
      'GET /api/v1/transactions/status',
      'POST /api/v1/tv/validate',
    ]);
    expect(sandbox.transactions).toHaveLength(0);
    expect(answers).toEqual([200, 401, 401, 401]);
  });

  it('reads the environment from a file', async () => {
    const lines = Object.entries(environment()).map(([name, value]) => `${name}=${value}\n`);
    expect(await examine({}, {}, ['--env', temporaryFile(lines.join(''))])).toMatchObject({ ok: true });
  });

  it('wraps its lines at the width of a terminal', async () => {
    const { out } = await run([], {}, { terminal: { isTTY: true, columns: 70 } });
    const lines = stripVTControlCharacters(out).trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(70);
    expect(lines.some((line) => /^ {22}\S/.test(line))).toBe(true);
  });
});

describe('the credentials fail', () => {
  it('where they are missing, with the names, and with a hint at a file that is not read', async () => {
    const file = temporaryFile('', '.env');
    const { status, message } = await examine({}, { folder: join(file, '..') });
    expect(status).toMatchObject({ credentials: 'failed', service: 'skipped', clock: 'skipped' });
    expect(message['credentials']).toBe(
      'BILLPAY_API_KEY, BILLPAY_CLIENT_ID, BILLPAY_BASE_URL are not set: ./.env was found, and is not read by itself: run npx billpay doctor --env .env',
    );
  });

  it('where each has a wrong form, all at once', async () => {
    const { findings } = await examine({
      BILLPAY_API_KEY: 'key_4f9c1d7e8b2a',
      BILLPAY_CLIENT_ID: 'sk_4f9c1d7e8b2a',
      BILLPAY_BASE_URL: 'https://service.example/api',
    });
    const names = findings
      .filter(({ check, status }) => check === 'credentials' && status === 'failed')
      .map(({ message }) => /^\w+/.exec(message)?.[0]);
    expect(names).toEqual(['BILLPAY_API_KEY', 'BILLPAY_CLIENT_ID', 'BILLPAY_BASE_URL']);
  });

  it('where the key is a public one, which cannot buy', async () => {
    const env = { ...environment(), BILLPAY_API_KEY: sandbox.credentials.publicKey };
    expect((await examine(env)).message['credentials']).toMatch(/public key.*which cannot buy/);
  });
});

describe('Node fails', () => {
  it('where it is too old', async () => {
    const { message } = await examine({}, { node: '20.18.3' });
    expect(message['node']).toMatch(/^Node 20\.18\.3 is too old .*: install Node 20\.19 or later$/);
  });

  it('where it verifies no certificates; then no key is sent', async () => {
    const { ok, status } = await examine({ ...environment(), NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(ok).toBe(false);
    expect(status).toMatchObject({ node: 'failed', service: 'skipped' });
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('the service fails', () => {
  const at = async (origin: string) =>
    (await examine({ ...environment(), BILLPAY_BASE_URL: `${origin}/api/v1` })).message['service'];

  it('where nothing listens, and where a page or a redirect answers in its place', async () => {
    expect(await at(`http://127.0.0.1:${await freePort()}`)).toMatch(/could not connect.*ECONNREFUSED/);
    expect(await at(await serve((_, response) => response.end('<html>Sign in</html>')))).toMatch(/200/);
    const elsewhere = await serve((_, response) =>
      response.writeHead(302, { location: 'https://elsewhere.example/v1' }).end(),
    );
    expect(await at(elsewhere)).toMatch(/redirected to https:\/\/elsewhere\.example\/v1/);
  });

  it('where it does not know the key, with a hint at the allow-list, or the account', async () => {
    const unknownKey = { ...environment(), BILLPAY_API_KEY: 'sk_test_unknown_51HqZt8Xw2' };
    expect((await examine(unknownKey)).message['service']).toMatch(/401 UNAUTHORIZED.*allow-list/);
    const unknownAccount = { ...environment(), BILLPAY_CLIENT_ID: 'somebody-else' };
    expect((await examine(unknownAccount)).status).toMatchObject({ service: 'failed' });
  });

  const page = { body: '<html>Blocked</html>', headers: { 'content-type': 'text/html' } };

  it.each([
    ['a page in place of its own 404', { operation: 'transactions.status', status: 404, ...page }],
    [
      'a JSON 404 that is not its own',
      { operation: 'transactions.status', status: 404, body: { message: 'no' } },
    ],
    ['a page in place of each POST', { operation: 'tv.validate', status: 403, ...page }],
    [
      'a refusal of the key where a secret one is needed',
      { operation: 'transactions.status', status: 403, code: 'GATEWAY_ERROR' },
    ],
  ] as const)('for %s', async (_, fault) => {
    sandbox.faults.add(fault);
    expect((await examine(environment())).status).toMatchObject({ service: 'failed' });
  });

  it.each([429, 502])('as a warning for a %i, which passes', async (status) => {
    sandbox.faults.add({ status });
    const { ok, status: found } = await examine(environment());
    expect({ ok, service: found['service'] }).toEqual({ ok: true, service: 'warning' });
  });

  it('as a warning for the older prefix, which has no catalogues', async () => {
    const { status } = await examine({
      ...environment(),
      BILLPAY_BASE_URL: connection.baseUrl.replace('/api/v1', '/v1'),
    });
    expect(status).toMatchObject({ service: 'warning' });
  });

  it('prints nothing that a terminal would obey', async () => {
    const body = { status: 'error', code: 'X\u001b[2J\u009b2J', message: '\u001b]0;owned\u0007' };
    sandbox.faults.add({ status: 401, body });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to look for
    expect((await run([], environment())).out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe('the clock', () => {
  const at = Date.UTC(2026, 0, 31, 12);

  it.each([
    [0, 'ok'],
    [29_000, 'ok'],
    [32_000, 'warning'],
    [-32_000, 'warning'],
    [302_000, 'failed'],
    [-302_000, 'failed'],
  ])('that differs by %i ms is %s', (difference, status) => {
    expect(judgeClock(at, at + difference, at + difference)).toMatchObject({ status });
  });

  it('is compared with the Date header', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    sandbox.faults.add({ status: 429, headers: { date } });
    expect((await examine(environment())).message['clock']).toMatch(
      /^the clock of this machine is 3(59\d|600) s behind the service's: synchronise it/,
    );
  });
});

describe('the webhook', () => {
  const check = async (url: string, env: Variables = {}) => {
    const variables = { BILLPAY_WEBHOOK_URL: url, BILLPAY_WEBHOOK_SECRET: webhookSecret, ...env };
    const { status, message } = await examine(variables);
    return `${status['webhook']}: ${message['webhook']}`;
  };

  it('fails for a receiver with another secret', async () => {
    const { url } = await receiver('whsec_another_7f31a9e0b2d8');
    expect(await check(url)).toMatch(/^failed: .*401 to a signed delivery: give the receiver the secret/);
  });

  it('fails for a receiver that verifies a body that was parsed and written again', async () => {
    const url = await serve(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      try {
        const body = JSON.stringify(JSON.parse(text));
        verifyWebhook({ body, headers: request.headers, secret: webhookSecret });
        response.end();
      } catch {
        response.writeHead(401).end();
      }
    });
    expect(await check(url)).toMatch(/^failed: .*the raw body/);
  });

  const receiverThat = (
    accepts: (given: { signature: unknown; isSigned: boolean; isRecent: boolean }) => boolean,
  ) =>
    serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const stamp = Number(request.headers['x-service-timestamp']);
      const verifies = (now: Date) => {
        try {
          verifyWebhook({ body, headers: request.headers, secret: webhookSecret, now });
          return true;
        } catch {
          return false;
        }
      };
      const [isSigned, isRecent] = [verifies(new Date(stamp * 1000)), verifies(new Date())];
      const signature = request.headers['x-service-signature'];
      response.writeHead(accepts({ signature, isSigned, isRecent }) ? 200 : 401).end();
    });

  it('fails for a receiver that takes anything, what is unsigned, or what is old', async () => {
    expect(await check(await receiverThat(() => true))).toMatch(/^failed: .*whose signature is wrong/);
    expect(
      await check(await receiverThat(({ signature, isRecent }) => isRecent || signature === undefined)),
    ).toMatch(/^failed: .*accepts a delivery without a signature/);
    expect(await check(await receiverThat(({ isSigned }) => isSigned))).toMatch(/^failed: .*a year old/);
    expect(await check(await receiverThat(({ isRecent }) => isRecent))).toMatch(/^ok: /);
  });

  it('warns of an endpoint that responds to everything with 400, which shows nothing', async () => {
    const url = await serve((_, response) => response.writeHead(400).end('<h1>Bad Request (400)</h1>'));
    expect(await check(url)).toMatch(/^warning: /);
  });

  it('fails for a wrong address, a wrong or missing secret, a missing receiver and a missing route', async () => {
    expect(await check('localhost:3000/hook')).toMatch(/^failed: .*http:\/\/localhost:3000\/hook/);
    expect(await check('http://127.0.0.1:1/', { BILLPAY_WEBHOOK_SECRET: 'whsec_short' })).toMatch(
      /^failed: /,
    );
    expect(await check('http://127.0.0.1:1/', { BILLPAY_WEBHOOK_SECRET: '' })).toMatch(
      /^failed: BILLPAY_WEBHOOK_SECRET is not set/,
    );
    expect(await check(`http://127.0.0.1:${await freePort()}/`)).toMatch(/^failed: .*\(ECONNREFUSED\)/);
    expect(await check(await serve((_, response) => response.writeHead(404).end()))).toMatch(
      /^failed: .*404/,
    );
  });

  it('fails for an address of this machine while the service is on another one', async () => {
    const { url } = await receiver();
    expect(await check(url, { BILLPAY_BASE_URL: 'https://service.example/api/v1' })).toMatch(
      /^failed: the endpoint is an address of this machine/,
    );
  });
});

describe('the store', () => {
  const { BILLPAY_TEST_POSTGRES_URL: postgresUrl, BILLPAY_TEST_MYSQL_URL: mysqlUrl } = process.env;
  const store = async (url: string, options: object = {}, args: readonly string[] = []) => {
    const { status, message } = await examine({ BILLPAY_DATABASE_URL: url }, options, args);
    return `${status['store']}: ${message['store']}`;
  };

  it('is not looked at where the variable is empty', async () => {
    expect(await store('')).toMatch(/^skipped: no database was given/);
  });

  it('fails where it cannot be reached, or its driver is not installed', async () => {
    const url = 'postgres://shop:c4n4ry-pg@127.0.0.1:1/shop';
    expect(await store(url)).toMatch(/^failed: the database does not respond \(ECONNREFUSED\): start it/);
    expect(await store(url, { folder: tmpdir() })).toMatch(
      /^failed: pg is not installed in .*npm install pg/,
    );
    expect(await store('sqlite:/nowhere/shop.db')).toMatch(/^failed: there is no SQLite file/);
  });

  it.skipIf(!nodeSqlite())('is right for a SQLite file that can be written, and left as it was', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-doctor-'));
    const file = join(folder, 'shop.db');
    const { DatabaseSync } = nodeSqlite() ?? {};
    const database = DatabaseSync && new DatabaseSync(file);
    try {
      expect(await store(`sqlite:${file}`)).toMatch(/^failed: the database has no tables of orders/);
      if (!database) return;
      const orders = sqliteOrderStore(database);
      expect(await store(`sqlite:${file}`)).toMatch(/^ok: orders can be written to the SQLite/);
      expect(await orders.list({ limit: 10 })).toEqual([]);
    } finally {
      database?.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(!postgresUrl)('is right for a PostgreSQL that can be written, and fails otherwise', async () => {
    const schema = `doctor_${crypto.randomUUID().replaceAll('-', '')}`;
    const withOptions = (more = '') =>
      `${postgresUrl}?options=${encodeURIComponent(`-csearch_path=${schema}${more}`)}`;
    const pool = new pg.Pool({ connectionString: withOptions() });
    try {
      await pool.query(`CREATE SCHEMA ${schema}`);
      expect(await store(withOptions())).toMatch(/^failed: the database has no tables of orders/);
      const orders = postgresOrderStore(pool);
      await orders.createTables();
      expect(await store(withOptions())).toMatch(/^ok: orders can be written to the PostgreSQL/);
      expect(await orders.list({ limit: 10 })).toEqual([]);
      expect(await store(withOptions(' -cdefault_transaction_read_only=on'))).toMatch(
        /^failed: the database cannot be written \(25006\)/,
      );
    } finally {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    }
  });

  it.skipIf(!mysqlUrl)('is right for a MySQL that can be written', async () => {
    const table = `doctor_${process.pid}`;
    const pool = createPool(String(mysqlUrl));
    const orders = mysqlOrderStore(pool, { table });
    await orders.createTables();
    try {
      expect(await store(String(mysqlUrl), {}, ['--table', table])).toMatch(
        /^ok: orders can be written to the MySQL/,
      );
      expect(await orders.list({ limit: 10 })).toEqual([]);
    } finally {
      await pool.end();
    }
  });
});
