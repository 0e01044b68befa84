import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandProcess } from '../../src/cli/terminal.js';
import type { Finding } from '../../src/doctor/finding.js';
import { runCommand } from '../../src/doctor/run.js';
import { postgresOrderStore } from '../../src/orders/index.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';
import { createWebhookHandler, toNodeHandler, type WebhookDeliveryRecord } from '../../src/webhooks/index.js';
import { selfSigned } from '../support/certificate.js';
import { serve } from '../support/serve.js';
import { freePort } from '../support/sockets.js';
import { runProcess } from './process.js';

const webhookSecret = 'whsec_doctor_7f31a9e0b2d8c4f6';

let sandbox: Sandbox;
let baseUrl: string;

beforeEach(async () => {
  sandbox = createSandbox();
  ({ baseUrl } = await sandbox.listen());
});

afterEach(() => sandbox.close());

type Variables = Readonly<Record<string, string>>;

/** The variables of an application that is set up correctly. */
const environment = (): Variables => ({
  BILLPAY_API_KEY: sandbox.credentials.secretKey,
  BILLPAY_CLIENT_ID: sandbox.credentials.clientId,
  BILLPAY_BASE_URL: baseUrl,
});

const secretNames = [
  'BILLPAY_API_KEY',
  'BILLPAY_WEBHOOK_SECRET',
  'BILLPAY_DATABASE_URL',
  'BILLPAY_REDIS_URL',
];

/** Runs the command within this process. It must print no secret. */
async function run(args: readonly string[], env: Variables = {}, around: Partial<CommandProcess> = {}) {
  const written = { stdout: '', stderr: '' };
  const writer = (stream: keyof typeof written) => ({
    write: (text: string) => (written[stream] += text),
    on() {},
  });
  const exitCode = await runCommand(args, {
    env,
    versions: process.versions,
    stdout: writer('stdout'),
    stderr: writer('stderr'),
    cwd: () => process.cwd(),
    once: () => {},
    ...around,
  });
  for (const value of secretNames.flatMap((name) => env[name] ?? [])) {
    const password = URL.canParse(value) ? new URL(value).password : '';
    for (const secret of password ? [value, password] : [value]) {
      expect(written.stdout + written.stderr).not.toContain(secret);
    }
  }
  return { exitCode, ...written };
}

/** The findings of `--json` by the names of their checks. */
function read({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof run>>) {
  expect(stderr).toBe('');
  const { ok, findings }: { ok: boolean; findings: Finding[] } = JSON.parse(stdout);
  expect(exitCode).toBe(ok ? 0 : 1);
  for (const { status, remedy } of findings) {
    if (status === 'failed' || status === 'warning') expect(remedy).toBeTruthy();
  }
  const status = Object.fromEntries(findings.map((finding) => [finding.check, finding.status]));
  const message = Object.fromEntries(findings.map((finding) => [finding.check, finding.message]));
  return { ok, status, message };
}

const examine = async (env: Variables, around?: Partial<CommandProcess>) =>
  read(await run(['--json'], env, around));

const closedOrigin = async () => `http://127.0.0.1:${await freePort()}`;

const quiet = { info() {}, warn() {}, error() {} };

/** A receiver as the documentation shows it, and how it answered. */
async function receiver(secret: string) {
  const records: WebhookDeliveryRecord[] = [];
  const handled: unknown[] = [];
  const handler = createWebhookHandler({
    secret,
    on: { 'transaction.completed': (event) => handled.push(event) },
    onDelivery: (record) => records.push(record),
    logger: quiet,
  });
  return { url: `${await serve(toNodeHandler(handler))}/webhooks`, records, handled };
}

describe('billpay doctor', () => {
  it('finds nothing wrong with an application that is set up correctly, and only reads', async () => {
    const { url, records, handled } = await receiver(webhookSecret);
    const ended = await run(['--webhook-url', url], {
      ...environment(),
      BILLPAY_WEBHOOK_SECRET: webhookSecret,
    });
    expect(ended.stdout.split('\n').map((line) => line.split(/\s{2,}/).slice(0, 2))).toEqual([
      ['ok', 'node'],
      ['ok', 'environment'],
      ['ok', 'api-key'],
      ['ok', 'client-id'],
      ['ok', 'base-url'],
      ['ok', 'dns'],
      ['skipped', 'tls'],
      ['ok', 'service'],
      ['ok', 'clock'],
      ['skipped', 'rate-limit'],
      ['ok', 'account'],
      ['ok', 'secret-key'],
      ['ok', 'webhook'],
      ['ok', 'webhook-signature'],
      ['skipped', 'postgres'],
      ['skipped', 'redis'],
      ['12 ok, 0 warning, 0 failed, 4 skipped'],
      [''],
    ]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/data/products',
      'GET /api/v1/transactions/status',
    ]);
    expect(sandbox.transactions).toHaveLength(0);
    expect(records).toMatchObject([
      { status: 200, event: 'billpay.doctor' },
      { status: 401, reason: 'signature_mismatch' },
    ]);
    expect(handled).toEqual([]);
  });

  it('reads the environment from a file, as a process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-doctor-'));
    const file = join(folder, '.env');
    const lines = Object.entries(environment()).map(([name, value]) => `${name}=${value}`);
    writeFileSync(file, lines.join('\n'));
    const ended = await runProcess(['--env', file]);
    rmSync(folder, { recursive: true });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stdout).not.toContain(sandbox.credentials.secretKey);
  });

  it.each([
    [['--webhok-url'], 'has no flag --webhok-url (did you mean --webhook-url?); see --help'],
    [['sell'], 'takes no argument sell; see --help'],
    [['--env', 'none'], '--env: none cannot be read'],
  ])('ends a wrong command line with one line and exit code 2: %j', async (args, message) => {
    const stderr = `billpay doctor: ${message}\n`;
    expect(await run(args)).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  it('ends quietly when nobody reads on', async () => {
    const ended = await runProcess([], {}, '| head -n 1');
    expect(ended).toMatchObject({ stdout: expect.stringMatching(/^ok +node .*\n$/), stderr: '' });
  });

  it('prints help and its version', async () => {
    expect((await run(['--help'])).stdout).toContain('Usage: billpay doctor');
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('the checks of this machine fail', () => {
  it('for an old Node and an empty environment', async () => {
    const { status, message } = await examine({}, { versions: { node: '18.20.4' } });
    expect(status).toMatchObject({ node: 'failed', environment: 'failed', webhook: 'skipped' });
    expect(message['environment']).toBe('BILLPAY_API_KEY, BILLPAY_CLIENT_ID, BILLPAY_BASE_URL are not set');
  });

  it('for values of a wrong form', async () => {
    const { status } = await examine({
      BILLPAY_API_KEY: 'key_4f9c1d7e8b2a',
      BILLPAY_CLIENT_ID: 'sk_4f9c1d7e8b2a',
      BILLPAY_BASE_URL: 'https://service.example/api',
      BILLPAY_WEBHOOK_URL: 'http://shop.example/webhooks',
    });
    expect(status).toMatchObject({
      environment: 'ok',
      'api-key': 'failed',
      'client-id': 'failed',
      'base-url': 'failed',
      webhook: 'failed',
    });
  });

  it('for a public key, which cannot sell, and with a warning for the older prefix', async () => {
    const { ok, status } = await examine({
      ...environment(),
      BILLPAY_API_KEY: sandbox.credentials.publicKey,
      BILLPAY_BASE_URL: baseUrl.replace('/api/v1', '/v1'),
    });
    expect(status).toMatchObject({ 'api-key': 'failed', 'base-url': 'warning', service: 'warning' });
    expect(ok).toBe(false);
  });
});

describe('the checks of the way to the service fail', () => {
  it('for a host without an address', async () => {
    const { status } = await examine({
      ...environment(),
      BILLPAY_BASE_URL: 'https://billpay.invalid/api/v1',
    });
    expect(status).toMatchObject({ dns: 'failed' });
    expect(status).not.toHaveProperty('service');
  });

  const certificate = selfSigned();

  it.skipIf(!certificate)(
    'for a certificate that is not trusted, and warn of one that ends soon',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'billpay-doctor-'));
      const file = join(folder, 'ca.pem');
      writeFileSync(file, certificate?.cert ?? '');
      const catalogue = JSON.stringify({ status: 'success', biller: 'MTN', products: [] });
      const server = createTlsServer({ ...certificate }, (_, response) => response.end(catalogue));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const env = { ...environment(), BILLPAY_BASE_URL: `https://127.0.0.1:${port}/api/v1` };
      try {
        expect((await examine(env)).status).toMatchObject({ tls: 'failed' });
        const trusting = read(await runProcess(['--json'], { ...env, NODE_EXTRA_CA_CERTS: file }));
        expect(trusting.status).toMatchObject({ tls: 'warning', service: 'ok', account: 'ok' });
      } finally {
        server.closeAllConnections();
        server.close();
        rmSync(folder, { recursive: true });
      }
    },
  );

  it('for a port on which nothing listens', async () => {
    const { status } = await examine({
      ...environment(),
      BILLPAY_BASE_URL: `${await closedOrigin()}/api/v1`,
    });
    expect(status).toMatchObject({ dns: 'ok', service: 'failed' });
  });

  it('for a page of a proxy, and for a redirect', async () => {
    const origin = await serve((request, response) => {
      if (request.url?.startsWith('/v1'))
        response.writeHead(302, { location: 'https://elsewhere.example/v1' });
      response.end('<html>Sign in</html>');
    });
    for (const [path, message] of [
      ['/api/v1', "the response (200) is not the service's own"],
      ['/v1', 'redirects (302) to https://elsewhere.example/v1'],
    ]) {
      const found = await examine({ ...environment(), BILLPAY_BASE_URL: `${origin}${path}` });
      expect(found.status).toMatchObject({ service: 'failed' });
      expect(found.message).toMatchObject({ service: message });
    }
  });

  it('for a clock that differs, and for an account over its rate limit', async () => {
    sandbox.faults.add({
      status: 429,
      retryAfter: 7,
      headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
    });
    const { status, message } = await examine(environment());
    expect(status).toMatchObject({
      service: 'ok',
      clock: 'failed',
      'rate-limit': 'failed',
      account: 'skipped',
    });
    expect(message['clock']).toMatch(/^the clock of this machine is 3(59\d|600) s behind the service's$/);
    expect(message['rate-limit']).toContain('7 s');
  });
});

describe('the checks of the account fail', () => {
  it('for a key that the service does not know, with a hint at the allow-list', async () => {
    const ended = await run([], { ...environment(), BILLPAY_API_KEY: 'sk_test_unknown_51HqZt8Xw2' });
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(
      /FAILED +account +the service refuses the key \(401 UNAUTHORIZED\).*allow-list/,
    );
  });

  it('for an account that does not belong to the key', async () => {
    const { status } = await examine({ ...environment(), BILLPAY_CLIENT_ID: 'somebody-else' });
    expect(status).toMatchObject({ service: 'ok', account: 'failed' });
    expect(status).not.toHaveProperty('secret-key');
  });

  it('for such a key also where the catalogue cannot be read', async () => {
    const refused = { status: 'error', code: 'GATEWAY_ERROR', message: 'no' };
    const origin = await serve((request, response) => {
      response.writeHead(request.url?.includes('/transactions/') ? 403 : 502).end(JSON.stringify(refused));
    });
    const { status } = await examine({ ...environment(), BILLPAY_BASE_URL: `${origin}/api/v1` });
    expect(status).toMatchObject({ service: 'warning', account: 'skipped', 'secret-key': 'failed' });
  });

  it('for a key that is refused where a secret key is needed', async () => {
    const code = { status: 'error', code: 'GATEWAY_ERROR', message: 'no' };
    sandbox.faults.add({ operation: 'transactions.status', status: 403, body: code });
    expect((await examine(environment())).status).toMatchObject({ account: 'ok', 'secret-key': 'failed' });
  });
});

describe('the checks of the webhook endpoint fail', () => {
  const check = (url: string, secret = webhookSecret) =>
    examine({ BILLPAY_WEBHOOK_URL: url, BILLPAY_WEBHOOK_SECRET: secret });

  it('for another secret', async () => {
    const { url } = await receiver('whsec_another_7f31a9e0b2d8');
    const { status } = await check(url);
    expect(status).toMatchObject({ webhook: 'failed' });
    expect(status).not.toHaveProperty('webhook-signature');
  });

  it('for a receiver that verifies a body that was parsed and written again', async () => {
    const handler = createWebhookHandler({
      secret: webhookSecret,
      on: {},
      onUnknown: () => {},
      logger: quiet,
    });
    const url = await serve(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const body = JSON.stringify(JSON.parse(text));
      const { status } = await handler.receive({ method: 'POST', headers: request.headers, body });
      response.writeHead(status).end();
    });
    expect((await check(url)).message).toMatchObject({ webhook: expect.stringContaining('(401)') });
  });

  it('for a receiver that verifies nothing', async () => {
    const url = await serve((_, response) => response.end('ok'));
    expect((await check(url)).status).toMatchObject({ webhook: 'ok', 'webhook-signature': 'failed' });
  });

  it('as a warning for an endpoint that responds to everything with 400, which shows nothing', async () => {
    const url = await serve((_, response) => response.writeHead(400).end('<h1>Bad Request (400)</h1>'));
    const { status } = await check(url);
    expect(status).toMatchObject({ webhook: 'warning' });
    expect(status).not.toHaveProperty('webhook-signature');
  });

  it('for a wrong address, a missing secret, a missing receiver and a missing route', async () => {
    expect((await check('ftp://x')).status).toMatchObject({ webhook: 'failed' });
    expect((await check('http://127.0.0.1:1/webhooks', 'whsec_short')).status).toMatchObject({
      webhook: 'failed',
    });
    expect((await check(`${await closedOrigin()}/webhooks`)).message).toMatchObject({
      webhook: 'the endpoint does not respond (ECONNREFUSED)',
    });
    const url = await serve((_, response) => response.writeHead(404).end());
    expect((await check(url)).message).toMatchObject({ webhook: expect.stringContaining('404') });
  });
});

describe('the checks of the stores', () => {
  const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
  const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];

  it('fail for stores that cannot be reached, and are skipped where no client is installed', async () => {
    const stores = {
      BILLPAY_DATABASE_URL: 'postgres://shop:c4n4ry-pg@127.0.0.1:1/shop',
      BILLPAY_REDIS_URL: 'redis://:c4n4ry-redis@127.0.0.1:1',
    };
    expect((await examine(stores)).status).toMatchObject({ postgres: 'failed', redis: 'failed' });
    const elsewhere = await examine(stores, { cwd: tmpdir });
    expect(elsewhere.status).toMatchObject({ postgres: 'skipped', redis: 'skipped' });
  });

  it.each(['ioredis', 'redis'])('fail in time for a Redis that is silent, by %s', async (client) => {
    const folder = mkdtempSync(join(tmpdir(), 'billpay-doctor-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(process.cwd(), 'node_modules', client), join(folder, 'node_modules', client));
    const silent = createTcpServer((socket) => socket.on('error', () => {})).listen(0);
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let ended = false;
      const found = examine({ BILLPAY_REDIS_URL: `redis://127.0.0.1:${port}` }, { cwd: () => folder });
      const end = found.finally(() => {
        ended = true;
      });
      while (!ended) {
        await new Promise(setImmediate);
        vi.advanceTimersByTime(100);
      }
      expect((await end).message['redis']).toMatch(/^Redis cannot be used/);
    } finally {
      vi.useRealTimers();
      silent.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(!databaseUrl)(
    'fail for tables that are missing or old, and for commits that a crash loses',
    async () => {
      const schema = `doctor_${crypto.randomUUID().replaceAll('-', '')}`;
      const url = `${databaseUrl}?options=-csearch_path%3D${schema}`;
      const pool = new pg.Pool({ connectionString: url });
      const found = async () => (await examine({ BILLPAY_DATABASE_URL: url })).status;
      try {
        await pool.query(`CREATE SCHEMA ${schema}`);
        expect(await found()).toMatchObject({
          'postgres-tables': 'warning',
          'postgres-durability': 'failed',
        });
        await postgresOrderStore(pool).createTables();
        expect(await found()).toMatchObject({ 'postgres-tables': 'ok' });
        await pool.query('UPDATE billpay_orders_version SET version = version - 1');
        expect(await found()).toMatchObject({ 'postgres-tables': 'failed' });
      } finally {
        await pool.query(`DROP SCHEMA ${schema} CASCADE`);
        await pool.end();
      }
    },
  );

  it.skipIf(!redisUrl)(
    'fail for a Redis that evicts keys, and warn of one that forgets at a restart',
    async () => {
      const redis = new Redis(String(redisUrl));
      const found = async () => (await examine({ BILLPAY_REDIS_URL: String(redisUrl) })).status;
      try {
        await redis.config('SET', 'maxmemory-policy', 'noeviction');
        expect(await found()).toMatchObject({ 'redis-eviction': 'ok', 'redis-persistence': 'warning' });
        await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
        expect(await found()).toMatchObject({ 'redis-eviction': 'failed' });
      } finally {
        await redis.config('SET', 'maxmemory-policy', 'noeviction');
        redis.disconnect();
      }
    },
  );
});
