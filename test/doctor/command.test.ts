import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../src/doctor/command/run.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';
import { createWebhookHandler, toNodeHandler } from '../../src/webhooks/index.js';
import { selfSigned } from '../support/certificate.js';
import { closedOrigin, closeServers, serve } from './process.js';

const webhookSecret = 'whsec_doctor_7f31a9e0b2d8c4f6';

let sandbox: Sandbox;
let env: Record<string, string>;

beforeEach(async () => {
  sandbox = createSandbox();
  const { baseUrl } = await sandbox.listen();
  const { secretKey, clientId } = sandbox.credentials;
  env = { BILLPAY_API_KEY: secretKey, BILLPAY_CLIENT_ID: clientId, BILLPAY_BASE_URL: baseUrl };
});

afterEach(async () => {
  closeServers();
  await sandbox.close();
});

/** Runs the command within this process. */
async function run(args: readonly string[], variables: Record<string, string> = env, folder = process.cwd()) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const exitCode = await runCommand(args, {
    env: variables,
    versions: process.versions,
    stdout: { write: (text) => stdout.push(text), on() {} },
    stderr: { write: (text) => stderr.push(text) },
    cwd: () => folder,
  });
  return { exitCode, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** The checks of a run by their status. */
async function statuses(variables: Record<string, string>, folder?: string) {
  const { stdout } = await run(['--json'], variables, folder);
  const { findings }: { findings: { check: string; status: string }[] } = JSON.parse(stdout);
  return Object.fromEntries(findings.map(({ check, status }) => [check, status]));
}

it('passes for an application that is set up correctly', async () => {
  const handler = createWebhookHandler({
    secret: webhookSecret,
    on: {},
    onUnknown: () => {},
    logger: { info() {}, warn() {}, error() {} },
  });
  const url = await serve(toNodeHandler(handler));
  const variables = { ...env, BILLPAY_WEBHOOK_SECRET: webhookSecret };
  const { exitCode, stdout } = await run(['--webhook-url', url], variables);
  expect({ exitCode, last: stdout.trim().split('\n').at(-1) }).toEqual({
    exitCode: 0,
    last: '12 ok, 0 warning, 0 failed, 4 skipped',
  });
});

it('fails for what is missing, wrong or out of reach', async () => {
  expect(await run([], {})).toMatchObject({ exitCode: 1 });
  const wrong = { BILLPAY_API_KEY: 'a b', BILLPAY_CLIENT_ID: 'pk_x', BILLPAY_BASE_URL: 'ftp://x' };
  expect(await statuses(wrong)).toMatchObject({
    'api-key': 'failed',
    'client-id': 'failed',
    'base-url': 'failed',
  });
  const nowhere = await closedOrigin();
  expect(
    await statuses({ ...env, BILLPAY_BASE_URL: `${nowhere}/v1`, BILLPAY_API_KEY: 'pk_test_4f9c1d7e' }),
  ).toMatchObject({ 'api-key': 'failed', 'base-url': 'warning', service: 'failed' });
  expect(await statuses({ ...env, BILLPAY_BASE_URL: 'https://billpay.invalid/api/v1' })).toMatchObject({
    dns: 'failed',
  });
  expect(await statuses({ ...env, BILLPAY_API_KEY: 'sk_test_unknown' })).toMatchObject({ account: 'failed' });
  expect(await statuses({ ...env, BILLPAY_CLIENT_ID: 'nobody' })).toMatchObject({ account: 'failed' });
  for (const [url, secret] of [
    ['ftp://x', webhookSecret],
    [nowhere, 'whsec_short'],
    [nowhere, webhookSecret],
  ] as const) {
    const variables = { BILLPAY_WEBHOOK_URL: url, BILLPAY_WEBHOOK_SECRET: secret };
    expect(await statuses(variables)).toMatchObject({ webhook: 'failed' });
  }
});

const certificate = selfSigned();

it.skipIf(!certificate)('fails for a certificate that is not trusted', async () => {
  const server = createTlsServer({ ...certificate });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const found = await statuses({ ...env, BILLPAY_BASE_URL: `https://127.0.0.1:${port}/api/v1` });
  server.close();
  expect(found).toMatchObject({ tls: 'failed' });
});

it('skips stores whose client is not installed, and fails for those out of reach', async () => {
  const { host } = new URL(await closedOrigin());
  const stores = {
    BILLPAY_DATABASE_URL: `postgres://shop:c4n4ry@${host}/shop`,
    BILLPAY_REDIS_URL: `redis://:c4n4ry@${host}`,
  };
  expect(await statuses(stores, tmpdir())).toMatchObject({ postgres: 'skipped', redis: 'skipped' });
  expect(await statuses(stores)).toMatchObject({ postgres: 'failed', redis: 'failed' });
});

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const redisUrl = process.env['BILLPAY_TEST_REDIS_URL'];

it.skipIf(!databaseUrl || !redisUrl)('examines the stores', async () => {
  const stores = { BILLPAY_DATABASE_URL: String(databaseUrl), BILLPAY_REDIS_URL: String(redisUrl) };
  expect(Object.keys(await statuses(stores))).toEqual(
    expect.arrayContaining(['postgres-tables', 'postgres-durability', 'redis-eviction', 'redis-persistence']),
  );
});

it('refuses a wrong command line, and prints help and its version', async () => {
  expect(await run(['--x'])).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await run(['sell'])).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await run(['--env', '/nowhere/.env'])).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await run(['--help'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Usage') });
  expect(await run(['--version'])).toMatchObject({ exitCode: 0 });
});
