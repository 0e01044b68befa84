/**
 * How fast the sandbox command is over a port, with and without a state file, beside Prism, which mocks the same service from its
 * OpenAPI document: requests a second of one core's CPU time, time until it is ready, memory for 100,000 sales. Linux only: the CPU
 * time and the memory of a process are read from /proc, so that other work on the machine does not count. Prism is installed for the run.
 * Run: npm run bench:sandbox -- [sales]
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openApiDocument } from '../../docs/openapi/document.js';
import { buildCommand } from '../support/build-command.js';
import { freePort } from '../support/sockets.js';
import { median } from './measure.js';

const sales = Number(process.argv[2] ?? 20_000);
const connections = 32;
const starts = 7;
const warmUp = 2000;
/** The most requests that the sandbox keeps in its log. */
const logSize = 20_000;
/** So many sales are bought to measure memory: with few, what the garbage collector has not freed yet is more than what they keep. */
const keptSales = 100_000;
/** Prism is measured with fewer requests: it is slower, and keeps nothing. */
const prismRequests = Math.min(sales, 3000);
const prismVersion = '5.14.2';
const clockTicks = 100;
const prefix = '/api/v1';
const shown = (value: number) => Math.round(value).toLocaleString('en');

/** A server in a process of its own. */
interface Server {
  readonly process: ChildProcess;
  readonly origin: string;
  readonly clientId: string;
  readonly key: string;
  readonly readyMs: number;
  readonly readyCpuMs: number;
}

const servers: ChildProcess[] = [];
// Also where a measurement fails: a server that is left over would disturb the next one.
process.once('exit', () => {
  for (const server of servers) server.kill();
});

/** Remembers a server, so that it does not outlive this process. */
function endedWithUs<T extends ChildProcess>(server: T): T {
  servers.push(server);
  return server;
}

/** ms of CPU time of a process, all its threads included. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / clockTicks) * 1000;
}

const residentMiB = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function stop({ process: run }: Pick<Server, 'process'>): Promise<void> {
  const ended = new Promise((resolve) => run.once('close', resolve));
  run.removeAllListeners('exit');
  run.kill('SIGTERM');
  await ended;
}

/** Starts the command; resolves when it has printed its address. */
function startSandbox(file: string, flags: readonly string[]): Promise<Server> {
  const args = ['--port', '0', '--json', '--quiet', '--balance', '1000000000', '--settle-after', 'manual'];
  return startNode([file, ...args, ...flags]);
}

/** A program that does nothing but print what the command prints first: the part of the start that is Node's own. */
const startBareNode = (): Promise<Server> =>
  startNode(['-e', `console.log('{"base_url":"http://127.0.0.1/"}'); setInterval(() => {}, 1e6)`]);

function startNode(args: readonly string[]): Promise<Server> {
  const startedAt = performance.now();
  const run = endedWithUs(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  return new Promise((resolve, reject) => {
    run.once('exit', (code) => reject(new Error(`the command ended with exit code ${code}`)));
    let text = '';
    run.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\n')) return;
      const [readyMs, readyCpuMs] = [performance.now() - startedAt, cpuMs(run)];
      const { base_url, client_id, secret_key } = JSON.parse(text);
      const { origin } = new URL(base_url);
      resolve({ process: run, origin, clientId: client_id, key: secret_key, readyMs, readyCpuMs });
    });
  });
}

/** Starts Prism on the service's document, whose paths include the base path: Prism reads it nowhere else. */
async function startPrism(folder: string): Promise<Server> {
  const document = join(folder, 'openapi.json');
  const { paths, ...rest } = openApiDocument();
  const prefixed = Object.entries(paths).map(([path, methods]) => [`${prefix}${path}`, methods]);
  writeFileSync(document, JSON.stringify({ ...rest, paths: Object.fromEntries(prefixed) }));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const prism = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const startedAt = performance.now();
  const args = [prism, 'mock', document, '--port', String(port), '--verboseLevel', 'silent'];
  const run = endedWithUs(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  for (;;) {
    if (run.exitCode !== null) throw new Error(`Prism ended with exit code ${run.exitCode}`);
    const isUp = await fetch(origin).then(
      (response) => response.text().then(() => true),
      () => false,
    );
    if (isUp) break;
    await delay(5);
  }
  const [readyMs, readyCpuMs] = [performance.now() - startedAt, cpuMs(run)];
  return { process: run, origin, clientId: 'client', key: 'sk_any', readyMs, readyCpuMs };
}

const agent = new Agent({ keepAlive: true, maxSockets: connections });

function send(server: Server, method: string, path: string, body: string, expected: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const url = `${server.origin}${prefix}${path}`;
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

const buy = (server: Server, key: string): Promise<string> =>
  send(
    server,
    'POST',
    '/airtime/purchase',
    JSON.stringify({
      client_id: server.clientId,
      biller: 'MTN',
      recipient: '08031234567',
      amount: 100,
      idempotency_key: key,
    }),
    202,
  );

const lookUp = (server: Server, reference: string | undefined): Promise<string> =>
  send(server, 'GET', `/transactions/status?client_id=${server.clientId}&reference=${reference}`, '', 200);

/** Runs `one` for 0 to `count`, on all connections. */
async function load(count: number, one: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

/** Requests a second of the server's CPU time. */
async function rate(server: Server, count: number, one: (at: number) => Promise<unknown>): Promise<number> {
  const before = cpuMs(server.process);
  await load(count, one);
  return count / ((cpuMs(server.process) - before) / 1000);
}

interface Figures {
  readonly readyMs: number;
  readonly readyCpuMs: number;
  readonly purchases: number;
  readonly replays: number | undefined;
  readonly lookups: number;
  /** Look-ups with `warmUp` sales there are. */
  readonly firstLookups: number | undefined;
  /** MiB for 100,000 sales. */
  readonly memory: number | undefined;
}

/** The median time to ready of several starts. */
async function readiness(
  start: (at: number) => Promise<Server>,
): Promise<Pick<Figures, 'readyMs' | 'readyCpuMs'>> {
  const servers: Server[] = [];
  for (let at = 0; at < starts; at++) {
    const server = await start(at);
    servers.push(server);
    await stop(server);
  }
  return {
    readyMs: median(servers.map(({ readyMs }) => readyMs)),
    readyCpuMs: median(servers.map(({ readyCpuMs }) => readyCpuMs)),
  };
}

async function measureSandbox(
  file: string,
  flags: readonly string[],
): Promise<Omit<Figures, 'readyMs' | 'readyCpuMs' | 'memory'>> {
  const server = await startSandbox(file, flags);
  const references: string[] = [];
  const buyAt = async (at: number, key: string) => {
    references[at] = JSON.parse(await buy(server, key)).data.reference;
  };
  await load(warmUp, (at) => buyAt(at, `warm-up-${at}`));
  const firstLookups = await rate(server, sales / 2, (at) =>
    lookUp(server, references[(at * 7919) % warmUp]),
  );
  const purchases = await rate(server, sales, (at) => buyAt(warmUp + at, `sale-${at}`));
  const replays = await rate(server, sales / 2, (at) => buy(server, `sale-${at}`));
  const lookups = await rate(server, sales / 2, (at) =>
    lookUp(server, references[(at * 7919) % references.length]),
  );
  await stop(server);
  return { purchases, replays, lookups, firstLookups };
}

/** By how many MiB the process grows with `keptSales` sales, once its log of requests is full. */
async function measureMemory(file: string, flags: readonly string[]): Promise<Pick<Figures, 'memory'>> {
  const server = await startSandbox(file, flags);
  await load(logSize, (at) => buy(server, `first-${at}`));
  const before = residentMiB(server.process);
  await load(keptSales, (at) => buy(server, `sale-${at}`));
  const memory = residentMiB(server.process) - before;
  await stop(server);
  return { memory };
}

async function measurePrism(folder: string): Promise<Figures> {
  const quietly = ['--no-audit', '--no-fund', '--no-package-lock', '--silent'];
  execFileSync('npm', ['install', ...quietly, '--prefix', folder, `@stoplight/prism-cli@${prismVersion}`]);
  const ready = await readiness(() => startPrism(folder));
  const server = await startPrism(folder);
  await load(500, (at) => buy(server, `warm-up-${at}`));
  const purchases = await rate(server, prismRequests, (at) => buy(server, `sale-${at}`));
  const lookups = await rate(server, prismRequests, () => lookUp(server, 'TXN-1'));
  await stop(server);
  return { ...ready, purchases, replays: undefined, lookups, firstLookups: undefined, memory: undefined };
}

const rows: readonly (readonly [
  name: string,
  target: string,
  value: (figures: Figures) => number | undefined,
])[] = [
  ['ready, ms as it passed', '<= 250', ({ readyMs }) => readyMs],
  ['ready, ms of CPU time', '', ({ readyCpuMs }) => readyCpuMs],
  ['purchases a second', '>= 5,000; with state >= 1,000', ({ purchases }) => purchases],
  ['replays a second', '', ({ replays }) => replays],
  [`look-ups a second, ${shown(warmUp)} sales`, '', ({ firstLookups }) => firstLookups],
  [`look-ups a second, ${shown(sales + warmUp)} sales`, 'the same', ({ lookups }) => lookups],
  [`memory for ${shown(keptSales)} sales, MiB`, '', ({ memory }) => memory],
];

function printTable(columns: Readonly<Record<string, Figures>>): void {
  const names = Object.keys(columns);
  const line = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);
  line(['', 'target', ...names]);
  line(['---', '---', ...names.map(() => '---:')]);
  for (const [name, target, value] of rows) {
    const cells = Object.values(columns).map(value);
    line([name, target, ...cells.map((cell) => (cell === undefined ? 'none' : shown(cell)))]);
  }
}

if (!existsSync('/proc/self/stat')) throw new Error('this bench reads /proc, which only Linux has');
const folder = mkdtempSync(join(tmpdir(), 'billpay-sandbox-bench-'));
try {
  const file = await buildCommand(folder);
  const state = join(folder, 'sandbox.state');
  const withoutState = {
    ...(await readiness(() => startSandbox(file, []))),
    ...(await measureSandbox(file, [])),
    ...(await measureMemory(file, [])),
  };
  const fresh = await readiness((at) => startSandbox(file, ['--state', join(folder, `fresh-${at}.state`)]));
  const withState = {
    ...fresh,
    ...(await measureSandbox(file, ['--state', state])),
    ...(await measureMemory(file, ['--state', join(folder, 'memory.state')])),
  };
  const prism = await measurePrism(folder);
  const node = await readiness(startBareNode);
  console.log(
    `Node ${process.version}, ${connections} connections, ${shown(sales)} sales; rates are a second of one core's CPU time.\n`,
  );
  printTable({ sandbox: withoutState, 'with --state': withState, [`Prism ${prismVersion}`]: prism });
  console.log(
    `\nA Node process that only prints a line: ready after ${shown(node.readyMs)} ms, ${shown(node.readyCpuMs)} ms of CPU time.`,
  );
  const again = await startSandbox(file, ['--state', state]);
  console.log(
    `Started again on ${shown(sales + warmUp)} sales (${shown(statSync(state).size / 2 ** 20)} MiB): ready after ${shown(again.readyMs)} ms, ${shown(again.readyCpuMs)} ms of CPU time.`,
  );
  console.log('stripe-mock publishes no figures to compare with.');
  await stop(again);
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}
