import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { Program } from '../../support/program.js';
import { freePort } from '../../support/sockets.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const examples = join(root, 'examples');
const limit = 240_000;
/** Waits for something that a server does on its own, however slow the machine is. */
const patience = 60_000;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that uses the package, and what it prints. */
interface Started {
  readonly lines: () => string[];
}

interface Setting {
  readonly port: number;
  readonly secret: string;
}

type Start = (setting: Setting) => Promise<Started>;

/** Runs a program until the test ends. */
function run(
  command: string,
  args: string[],
  { port, secret }: Setting,
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Started & Pick<Program, 'ended'> {
  const program = new Program(command, args, {
    cwd,
    env: { NODE_ENV: '', PORT: String(port), BILLPAY_WEBHOOK_SECRET: secret, ...env },
  });
  closers.push(() => program.end());
  return { lines: () => program.printed.split('\n').map((line) => line.trim()), ended: program.ended };
}

const viaTsx =
  (file: string, env: Record<string, string> = {}): Start =>
  async (setting) =>
    run(process.execPath, ['--import', 'tsx', join(examples, 'webhooks', file)], setting, root, env);

/** The variables that the package reads, as a machine that only builds has them. */
const withoutBillpay: NodeJS.ProcessEnv = Object.fromEntries(
  ['API_KEY', 'CLIENT_ID', 'BASE_URL', 'WEBHOOK_SECRET'].map((name) => [`BILLPAY_${name}`, undefined]),
);

/** Next writes into its project, so it gets a copy; and it compiles nothing that lies in node_modules. */
const next: Start = async (setting) => {
  const project = await mkdtemp(join(tmpdir(), 'billpay-next-'));
  closers.push(() => rm(project, { recursive: true, force: true }));
  await cp(join(examples, 'webhooks/next'), project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  await symlink(join(examples, 'node_modules'), join(project, 'node_modules'));
  const program = join(examples, 'node_modules/next/dist/bin/next');
  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  const buildEnv = { ...env, ...withoutBillpay };
  const build = run(process.execPath, [program, 'build', '--webpack'], setting, project, buildEnv);
  expect(await build.ended, build.lines().join('\n')).toBe(0);
  return run(process.execPath, [program, 'start', '-p', String(setting.port)], setting, project, env);
};

/** The Worker in workerd, with a D1 database. */
const worker: Start = async ({ port, secret }) => {
  const { build } = await import('esbuild');
  const bundle = await build({
    entryPoints: [join(examples, 'webhooks/worker.ts')],
    absWorkingDir: examples,
    tsconfigRaw: {},
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd'],
  });
  const { Miniflare } = await import(join(examples, 'node_modules/miniflare/dist/src/index.js'));
  const lines: string[] = [];
  const miniflare = new Miniflare({
    port,
    modules: true,
    script: bundle.outputFiles[0]?.text,
    compatibilityDate: '2026-03-01',
    d1Databases: ['DB'],
    bindings: { BILLPAY_WEBHOOK_SECRET: secret },
    handleRuntimeStdio(out: NodeJS.ReadableStream, error: NodeJS.ReadableStream) {
      for (const stream of [out, error]) {
        stream.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n')));
      }
    },
  });
  closers.push(() => miniflare.dispose());
  const database = await miniflare.getD1Database('DB');
  await database.exec(
    'CREATE TABLE webhook_events (key TEXT PRIMARY KEY, owner TEXT NOT NULL, done INTEGER NOT NULL, ends INTEGER NOT NULL)',
  );
  return { lines: () => lines };
};

interface Example {
  readonly name: string;
  readonly start: Start;
  /** What of examples' own dependencies it needs. */
  readonly needs: readonly string[];
}

const all: readonly Example[] = [
  { name: 'node:http', start: viaTsx('node-http.ts'), needs: [] },
  { name: 'Express', start: viaTsx('express.ts'), needs: [] },
  { name: 'Fastify', start: viaTsx('fastify.ts'), needs: [] },
  { name: 'Hono', start: viaTsx('hono.ts'), needs: [] },
  {
    name: 'NestJS',
    start: viaTsx('nest/main.ts', { TSX_TSCONFIG_PATH: join(examples, 'tsconfig.json') }),
    needs: ['@nestjs/core', 'billpay'],
  },
  { name: 'a Next route handler', start: next, needs: ['next', 'billpay'] },
  { name: 'a Cloudflare Worker', start: worker, needs: ['miniflare', 'billpay'] },
];

const missing = ({ needs }: Example): readonly string[] =>
  needs.filter((name) => !existsSync(join(examples, 'node_modules', name)));

const titled = (example: Example) => {
  const names = missing(example);
  const why = `(skipped: examples/node_modules lacks ${names.join(', ')}; npm ci --prefix examples and npm run --prefix examples use-local-billpay)`;
  return names.length > 0 ? `${example.name} ${why}` : example.name;
};

/** The sandbox as a service on a port, subscribed to and bought from over HTTP alone. */
async function service() {
  const sandbox: Sandbox = createSandbox({ settleAfter: 'manual' });
  const { baseUrl, close } = await sandbox.listen({ port: 0 });
  closers.push(close);
  const { clientId, secretKey } = sandbox.credentials;
  const post = async (path: string, body: object) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, ...body }),
    });
    expect(response.ok, path).toBe(true);
    return (await response.json()).data;
  };
  const buy = async (): Promise<string> => {
    const purchase = { biller: 'MTN', recipient: '08031234567', amount: 500 };
    return (await post('/airtime/purchase', { ...purchase, idempotency_key: crypto.randomUUID() })).reference;
  };
  return { sandbox, post, buy };
}

describe('the examples', () => {
  for (const example of all) {
    it.skipIf(missing(example).length > 0)(
      titled(example),
      async () => {
        const { sandbox, post, buy } = await service();
        const port = await freePort();
        const url = `http://127.0.0.1:${port}/webhooks/billpay`;
        const { secret } = await post('/webhooks/subscribe', { url });
        const { lines } = await example.start({ port, secret });
        await vi.waitFor(
          async () => {
            const response = await fetch(url).catch(() => undefined);
            expect(response, lines().join('\n')).toBeDefined();
          },
          { timeout: patience, interval: 100 },
        );

        const [sold, failed] = [await buy(), await buy()];
        await sandbox.settle(sold, 'success');
        await sandbox.settle(failed, 'failed');
        for (const reference of [sold, failed]) {
          const delivery = sandbox.deliveries.find((one) => one.reference === reference);
          await vi.waitFor(() => expect(delivery?.attempts).toHaveLength(1), patience);
          expect(delivery?.attempts[0]?.status, lines().join('\n')).toBe(200);
          expect((await delivery?.redeliver())?.status).toBe(200);
          expect((await delivery?.redeliver({ corrupt: 'bad-signature' }))?.status).toBe(401);
          expect((await delivery?.redeliver({ corrupt: 'old-timestamp' }))?.status).toBe(401);
        }
        await vi.waitFor(() => {
          const handled = lines().filter((line) => /^(give value for|refund the customer of) /.test(line));
          expect(handled).toEqual([`give value for ${sold}`, `refund the customer of ${failed}`]);
        }, patience);
      },
      limit,
    );
  }
});
