import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openApiDocument } from '../../tools/openapi/document.js';
import { freePort } from '../support/sockets.js';
import { here, median, packageFolder, type Result } from './measure.js';

/** Linux only: CPU time and memory of a process are read from /proc, so that other work on the machine does not count. */

const { bin } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
const command = join(packageFolder, bin.billpay);
const purchases = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** ms of CPU time of a process, all its threads included. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const residentBytes = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

interface Server {
  readonly program: ChildProcess;
  readonly origin: string;
  readonly key: string;
  readonly clientId: string;
}

/** Starts a server; resolves with what it has printed once it answers. */
async function start(args: readonly string[], origin: string, isReady: (printed: string) => boolean) {
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  process.once('exit', () => program.kill());
  while (!(isReady(printed) && (await fetch(origin).catch(() => undefined)))) {
    if (program.exitCode !== null) throw new Error(`${args[0]} ended with ${program.exitCode}`);
    await delay(5);
  }
  return { program, printed };
}

async function startSandbox(state?: string): Promise<Server> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const args = [command, 'sandbox', '--port', String(port), '--balance', '1000000000'];
  args.push('--settle-after', 'manual', ...(state === undefined ? [] : ['--state', state]));
  const { program, printed } = await start(args, origin, (text) => text.includes('BILLPAY_API_KEY='));
  const variable = (name: string) => new RegExp(`^${name}=(\\S+)`, 'm').exec(printed)?.[1] ?? '';
  return { program, origin, key: variable('BILLPAY_API_KEY'), clientId: variable('BILLPAY_CLIENT_ID') };
}

/** Prism on the service's document, whose paths include the base path: Prism reads it nowhere else. */
async function startPrism(folder: string): Promise<Server> {
  const { paths, ...rest } = openApiDocument();
  const prefixed = Object.entries(paths).map(([path, methods]) => [`/api/v1${path}`, methods]);
  const document = join(folder, 'openapi.json');
  writeFileSync(document, JSON.stringify({ ...rest, paths: Object.fromEntries(prefixed) }));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const prism = here('../tools/node_modules/@stoplight/prism-cli/dist/index.js');
  const args = [prism, 'mock', document, '--port', String(port), '--verboseLevel', 'silent'];
  const { program } = await start(args, origin, () => true);
  return { program, origin, key: 'sk_any', clientId: 'client' };
}

function buy({ origin, key, clientId }: Server, id: string): Promise<void> {
  const order = { biller: 'MTN', recipient: '08031234567', amount: 100, idempotency_key: id };
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(
      `${origin}/api/v1/airtime/purchase`,
      { method: 'POST', headers, agent },
      (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 202) resolve();
          else reject(new Error(`the response was ${response.statusCode}`));
        });
      },
    );
    sent.on('error', reject).end(JSON.stringify({ client_id: clientId, ...order }));
  });
}

let batches = 0;

async function buyMany(server: Server, count: number): Promise<void> {
  const batch = batches++;
  let next = 0;
  const lane = async () => {
    while (next < count) await buy(server, `order-${batch}-${next++}`);
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

/** Purchases a second of the server's own CPU time. */
async function rate(server: Server, count: number): Promise<number> {
  await buyMany(server, count / 10);
  const before = cpuMs(server.program);
  await buyMany(server, count);
  return count / ((cpuMs(server.program) - before) / 1000);
}

async function stop({ program }: Server): Promise<void> {
  const ended = new Promise((resolve) => program.once('close', resolve));
  program.kill();
  await ended;
}

export async function measureSandbox(count: number): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-bench-'));
  try {
    const ratios: number[] = [];
    for (let round = 0; round < count; round++) {
      const [sandbox, prism] = [await startSandbox(), await startPrism(folder)];
      ratios.push((await rate(sandbox, purchases)) / (await rate(prism, 1000)));
      await Promise.all([stop(sandbox), stop(prism)]);
    }
    const state = join(folder, 'sandbox.state');
    const kept = await startSandbox(state);
    const withState = await rate(kept, purchases);
    await stop(kept);
    const starting = await startSandbox(state);
    const startMs = cpuMs(starting.program);
    await stop(starting);
    const growing = await startSandbox();
    const all: number[] = [];
    for (let at = 0; at < 3; at++) {
      await buyMany(growing, purchases);
      all.push(residentBytes(growing.program));
    }
    await stop(growing);
    return [
      { measure: 'purchases a second of CPU, x Prism', value: median(ratios), target: 5, atLeast: true },
      {
        measure: 'purchases a second of CPU, with a state file',
        value: withState,
        target: 1000,
        atLeast: true,
      },
      { measure: 'ms of CPU to start on 22,000 transactions', value: startMs, target: 1500 },
      {
        measure: 'bytes of memory for a transaction',
        value: ((all[2] ?? 0) - (all[0] ?? 0)) / (2 * purchases),
        target: 4000,
      },
    ];
  } finally {
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}
