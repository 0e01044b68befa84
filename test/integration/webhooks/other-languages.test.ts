import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { signWebhook } from '../../../src/webhooks/index.js';
import { temporaryFile } from '../../support/temporary-file.js';
import { bodyOf, secret } from '../../webhooks/deliveries.js';

const folder = fileURLToPath(new URL('../../../examples/sandbox-http/', import.meta.url));
const body = bodyOf('TXN-1');
const ageOf = (seconds: number) => new Date(Date.now() - seconds * 1000);
const oneDay = 86_400;

/** Deliveries, and whether a receiver accepts them. */
const deliveries: Readonly<Record<string, readonly [headers: Record<string, string>, accepted: boolean]>> = {
  'the right one': [signWebhook({ body, secret }), true],
  'a repetition after a day': [signWebhook({ body, secret, timestamp: ageOf(oneDay) }), true],
  'one that was recorded two days ago': [signWebhook({ body, secret, timestamp: ageOf(2 * oneDay) }), false],
  'one that was recorded in 2001': [signWebhook({ body, secret, timestamp: new Date(1e12) }), false],
  'one from the future': [signWebhook({ body, secret, timestamp: ageOf(-oneDay) }), false],
  'one that another secret signed': [signWebhook({ body, secret: `whsec_${'x'.repeat(16)}` }), false],
  'one without a signature': [{ 'X-Service-Timestamp': String(Math.floor(Date.now() / 1000)) }, false],
  'one without a timestamp': [{ 'X-Service-Signature': 'a'.repeat(64) }, false],
};

const signedByNothing = () => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', '').update(`${timestamp}.${body}`).digest('hex');
  return { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature };
};

describe('the receiver in Python', () => {
  const program = `import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from purchase import is_genuine
given = json.loads(sys.argv[2])
print(json.dumps([is_genuine(one["secret"], one["timestamp"], one["body"].encode(), one["signature"]) for one in given]))`;

  const areGenuine = (given: readonly (readonly [secret: string, headers: Record<string, string>])[]) => {
    const calls = given.map(([secret, headers]) => ({
      secret,
      timestamp: headers['X-Service-Timestamp'] ?? '',
      signature: headers['X-Service-Signature'] ?? '',
      body,
    }));
    const args = ['-c', program, folder, JSON.stringify(calls)];
    return JSON.parse(execFileSync('python3', args, { encoding: 'utf8' }));
  };

  it('judges each delivery, and accepts nothing while its secret is empty', () => {
    const names = Object.keys(deliveries);
    const all = Object.values(deliveries);
    const judged = areGenuine([
      ...all.map(([headers]) => [secret, headers] as const),
      ['', signedByNothing()],
    ]);
    const expected = [...all.map(([, accepted]) => accepted), false];
    const named = (verdicts: readonly boolean[]) => verdicts.map((verdict, at) => [names[at], verdict]);
    expect(named(judged)).toEqual(named(expected));
  });
});

// CI installs it.
describe.skipIf(process.env['CI'] === undefined && spawnSync('php', ['-v']).status !== 0)(
  'the receiver in PHP',
  () => {
    const freePort = () =>
      new Promise<number>((resolve) => {
        const server = createServer().listen(0, '127.0.0.1', () => {
          const { port } = server.address() as { port: number };
          server.close(() => resolve(port));
        });
      });

    /** Starts it with these variables; returns a function that delivers, and gives the status. */
    async function start(env: NodeJS.ProcessEnv) {
      const url = `http://127.0.0.1:${await freePort()}/`;
      const child = spawn('php', ['-S', new URL(url).host, join(folder, 'webhook.php')], {
        env: { PATH: process.env['PATH'], RECEIVED: temporaryFile(''), ...env },
        stdio: 'ignore',
      });
      onTestFinished(() => void child.kill());
      await vi.waitFor(() => fetch(url), 20_000);
      return async (headers: Record<string, string>) =>
        (await fetch(url, { method: 'POST', headers, body })).status;
    }

    it('judges each delivery', async () => {
      const deliver = await start({ WEBHOOK_SECRET: secret });
      const statuses: Record<string, number> = {};
      for (const [name, [headers]] of Object.entries(deliveries)) statuses[name] = await deliver(headers);
      const expected = Object.entries(deliveries).map(([name, [, accepted]]) => [name, accepted ? 200 : 401]);
      expect(statuses).toEqual(Object.fromEntries(expected));
    });

    it.each([
      ['empty', { WEBHOOK_SECRET: '' }],
      ['missing', {}],
    ])('accepts nothing while its secret is %s', async (_, env) => {
      const deliver = await start(env);
      expect(await deliver(signedByNothing())).toBe(500);
    });
  },
);
