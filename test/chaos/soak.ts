/**
 * Many calls in one process: memory, listeners, timers and sockets must not grow.
 *
 * npm run chaos -- soak                          200,000 calls of mixed outcomes, then 5,000 in flight at once
 * npm run chaos -- soak --calls 20000
 * also: --inflight 5000, --concurrency 128, --transport node
 */
import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BillPay, BillPayError, type CallOptions } from '../../src/index.js';
import { bytesPerCall } from './soak/slope.js';
import { transportOf } from './transport.js';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '200000' },
    inflight: { type: 'string', default: '5000' },
    concurrency: { type: 'string', default: '128' },
    transport: { type: 'string', default: 'fetch' },
  },
});
const calls = Number(values.calls);
const inflight = Number(values.inflight);
const concurrency = Number(values.concurrency);
const { gc } = globalThis;
if (!gc) throw new Error('run with node --expose-gc');

const server = spawn(
  process.execPath,
  ['--import', 'tsx', fileURLToPath(new URL('soak/server.ts', import.meta.url))],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [port] = (await once(server.stdout, 'data')).map((chunk) => Number(String(chunk)));
const client = new BillPay({
  apiKey: 'sk_test_soak',
  clientId: 'client-1',
  baseUrl: `http://127.0.0.1:${port}/api/v1`,
  logLevel: 'off',
  transport: transportOf(values.transport),
});

/** One signal for all calls, as a server uses for its shutdown: listeners would pile up on it. */
const shutdown = new AbortController();
const outcomes = new Map<string, number>();

/** Mostly purchases; the rest ends in every other way. */
const kinds = [
  '01',
  '01',
  '01',
  '01',
  '01',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '07',
  '08',
  '01',
  '01',
  '01',
];

function optionsFor(n: number): { prefix: string; options: CallOptions } {
  const base = { maxRetries: 0, signal: shutdown.signal };
  if (n % 199 === 0) return { prefix: '09', options: { ...base, timeout: 20 } };
  if (n % 197 === 0) return { prefix: '09', options: { ...base, signal: AbortSignal.timeout(10) } };
  if (n % 193 === 0) return { prefix: '05', options: { ...base, maxRetries: 1 } };
  if (n % 191 === 0) return { prefix: '03', options: { ...base, maxRetries: 4, totalTimeout: 300 } };
  return { prefix: kinds[n % kinds.length] ?? '01', options: base };
}

async function call(prefix: string, n: number, options: CallOptions): Promise<void> {
  let ended = 'sold';
  try {
    const recipient = `${prefix}${String(n).padStart(9, '0')}`;
    const { reference } = await client.airtime.purchase({ biller: 'MTN', recipient, amount: 100 }, options);
    if (reference !== `TXN-${recipient}`) throw new Error(`got ${reference} for ${recipient}`);
  } catch (error) {
    if (!(error instanceof BillPayError)) throw error;
    ended = error.name;
  }
  outcomes.set(ended, (outcomes.get(ended) ?? 0) + 1);
}

/** Handles of this process that a call could have left. */
function held(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (/Timeout|TCP|Connect|Immediate|FS/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

async function heapUsed(): Promise<number> {
  await delay(10);
  for (let round = 0; round < 3; round++) gc?.();
  return process.memoryUsage().heapUsed;
}

const problems: string[] = [];
const handlesBefore = held();
const block = Math.ceil(calls / 20);
const samples: { calls: number; heap: number }[] = [];
const startedAt = performance.now();
for (let done = 0; done < calls; ) {
  const last = Math.min(calls, done + block);
  const lane = async () => {
    while (done < last) {
      done += 1;
      const { prefix, options } = optionsFor(done);
      await call(prefix, done, options);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  samples.push({ calls: done, heap: await heapUsed() });
}
const seconds = (performance.now() - startedAt) / 1000;
const settled = samples.slice(samples.length / 2);
const { bytes, error } = bytesPerCall(settled);
const grown = (bytes * block * (settled.length - 1)) / 2 ** 20;
const megabytes = samples.map(({ heap }) => (heap / 2 ** 20).toFixed(1));
console.log(
  `${calls} calls over ${values.transport}, ${concurrency} side by side, in ${seconds.toFixed(0)} s`,
);
console.log(`ended: ${[...outcomes].map(([name, n]) => `${name} ${n}`).join(', ')}`);
console.log(`heap after gc, MiB, every ${block} calls: ${megabytes.join(' ')}`);
console.log(
  `slope over the second half: ${bytes.toFixed(1)} bytes a call, give or take ${error.toFixed(1)}; ${grown.toFixed(2)} MiB in all`,
);
// Growth within the scatter of the samples is no leak, and code that is still being compiled takes up to 1 MiB.
if (bytes > 3 * error && grown > 1) problems.push(`the heap grows by ${bytes.toFixed(1)} bytes a call`);

const base = `http://127.0.0.1:${port}`;
const textOf = async (path: string) => (await fetch(base + path)).text();
const before = await heapUsed();
outcomes.clear();
const flight = performance.now();
const all = Promise.all(
  Array.from({ length: inflight }, (_, n) =>
    call('99', n, { signal: shutdown.signal, maxRetries: 0, timeout: 120_000, totalTimeout: 120_000 }),
  ),
);
while (Number(await textOf('/held')) < inflight && performance.now() - flight < 60_000) await delay(50);
const during = await heapUsed();
await textOf('/release');
await all;
console.log(
  `${inflight} calls in flight at once: ${[...outcomes].map(([name, n]) => `${name} ${n}`).join(', ')}; ${((during - before) / inflight / 1024).toFixed(1)} KiB of heap a call; ${((performance.now() - flight) / 1000).toFixed(1)} s`,
);
if (outcomes.get('sold') !== inflight) problems.push('not all calls in flight were sold');

const listeners = getEventListeners(shutdown.signal, 'abort').length;
if (listeners > 0) problems.push(`${listeners} listeners are left on the signal`);

// The server is still there and ends no connection: what disappears now was closed by the client itself.
const waitedFrom = performance.now();
let handles = held();
while (Object.entries(handles).some(([kind, n]) => n > (handlesBefore[kind] ?? 0))) {
  if (performance.now() - waitedFrom > 20_000) {
    problems.push(`left behind: ${JSON.stringify(handles)}, at first ${JSON.stringify(handlesBefore)}`);
    break;
  }
  await delay(50, undefined, { ref: false });
  handles = held();
}
server.kill();
await once(server, 'exit');
console.log(`left on the signal: ${listeners} listeners; handles left: ${JSON.stringify(handles)}`);
for (const problem of problems) console.error(`  ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
