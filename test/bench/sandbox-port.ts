/**
 * How fast the sandbox command is over a port, with and without a state file: requests a second of one core's CPU time, time until it
 * is ready, memory for 100,000 sales. Linux only: the CPU time and the memory of the process are read from /proc.
 * Run: npm run bench:sandbox -- [sales]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const sales = Number(process.argv[2] ?? 20_000);
const connections = 32;
const clockTicks = 100;
const shown = (value: number) => Math.round(value).toLocaleString('en');

interface Running {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly key: string;
  readonly readyMs: number;
}

/** Starts the command; resolves when it has printed its address. */
function start(file: string, args: readonly string[]): Promise<Running> {
  const startedAt = performance.now();
  const run = spawn(
    process.execPath,
    [file, '--port', '0', '--json', '--quiet', '--balance', '1000000000', ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  run.stdout.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    run.once('exit', (code) => reject(new Error(`the command ended with exit code ${code}`)));
    let text = '';
    run.stdout.on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\n')) return;
      const { base_url, client_id, secret_key } = JSON.parse(text);
      const readyMs = performance.now() - startedAt;
      resolve({ process: run, baseUrl: base_url, clientId: client_id, key: secret_key, readyMs });
    });
  });
}

/** ms of CPU time of a process, all its threads included. */
function cpuMs({ process: { pid } }: Running): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / clockTicks) * 1000;
}

function residentMiB({ process: { pid } }: Running): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const agent = new Agent({ keepAlive: true, maxSockets: connections });

function send(
  { key }: Running,
  method: string,
  url: string,
  body: string,
  expected: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = httpRequest(url, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        response.statusCode === expected
          ? resolve(text)
          : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Runs `one` for 0 to `count`, on all connections. */
async function load(count: number, one: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

async function report(running: Running, name: string, count: number, one: (at: number) => Promise<unknown>) {
  const [cpu, wall] = [cpuMs(running), performance.now()];
  await load(count, one);
  const [usedMs, passedMs] = [cpuMs(running) - cpu, performance.now() - wall];
  console.log(
    `  ${name.padEnd(10)} ${shown(count / (usedMs / 1000)).padStart(8)} a second of CPU time, ${shown(count / (passedMs / 1000))} a second as it passed`,
  );
}

async function measure(title: string, file: string, args: readonly string[]): Promise<void> {
  const running = await start(file, ['--settle-after', 'manual', ...args]);
  console.log(`${title}: ready after ${shown(running.readyMs)} ms`);
  const { baseUrl, clientId } = running;
  const purchase = (key: string) =>
    send(
      running,
      'POST',
      `${baseUrl}/airtime/purchase`,
      JSON.stringify({
        client_id: clientId,
        biller: 'MTN',
        recipient: '08031234567',
        amount: 100,
        idempotency_key: key,
      }),
      202,
    );
  await load(2000, (at) => purchase(`warm-up-${at}`));
  const before = residentMiB(running);
  const references: string[] = [];
  await report(running, 'purchase', sales, async (at) => {
    references[at] = JSON.parse(await purchase(`sale-${at}`)).data.reference;
  });
  const grown = residentMiB(running) - before;
  await report(running, 'replay', sales / 2, (at) => purchase(`sale-${at}`));
  await report(running, 'status', sales / 2, (at) =>
    send(
      running,
      'GET',
      `${baseUrl}/transactions/status?client_id=${clientId}&reference=${references[at]}`,
      '',
      200,
    ),
  );
  console.log(
    `  memory     ${shown((grown / sales) * 100_000)} MiB for 100,000 sales, the log of requests included`,
  );
  const ended = new Promise((resolve) => running.process.once('close', resolve));
  running.process.removeAllListeners('exit');
  running.process.kill('SIGTERM');
  await ended;
}

if (!existsSync('/proc/self/stat')) throw new Error('this bench reads /proc, which only Linux has');
const folder = mkdtempSync(join(tmpdir(), 'billpay-sandbox-bench-'));
try {
  const file = join(folder, 'command.mjs');
  await build({
    entryPoints: ['src/sandbox/command/index.ts'],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    alias: { '#hmac': join(process.cwd(), 'src/webhooks/hmac/node.ts') },
  });
  console.log(`Node ${process.version}, ${connections} connections, ${shown(sales)} sales`);
  await measure('Without a state file', file, []);
  const state = join(folder, 'sandbox.state');
  await measure('With a state file', file, ['--state', state]);
  console.log(`  file       ${shown(statSync(state).size / 2 ** 20)} MiB`);
  const again = await start(file, ['--state', state]);
  console.log(`Started again on that file: ready after ${shown(again.readyMs)} ms`);
  again.process.removeAllListeners('exit');
  again.process.kill('SIGTERM');
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}
