/**
 * How fast the sandbox is, how much memory it takes, and whether a lookup costs the same in a full one.
 * Run: npx tsx test/bench/sandbox.ts (with --expose-gc after tsx for an exact figure of memory). Rates are a second of CPU time.
 */
import { Agent, request as httpRequest } from 'node:http';
import { createSandbox } from '../../src/sandbox/index.js';

const perSecond = (count: number, ms: number) => Math.round(count / (ms / 1000));
const shown = (value: number) => value.toLocaleString('en');

const heap = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

/** ms of one core that the work took: what else the machine does meanwhile does not count. */
async function timed(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const wanted = 100_000;
const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e9, seed: 'bench' });
const { clientId, secretKey } = sandbox.credentials;
const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };

const purchaseBody = (key: number) =>
  JSON.stringify({
    client_id: clientId,
    biller: 'MTN',
    recipient: '08031234567',
    amount: 100,
    idempotency_key: `order-${key}`,
  });

const buy = async (key: number) => {
  const response = await sandbox.fetch(
    new Request(`${sandbox.baseUrl}/airtime/purchase`, { method: 'POST', headers, body: purchaseBody(key) }),
  );
  if (response.status !== 202) throw new Error(`failed with ${response.status}`);
};

const look = async (reference: string | undefined) => {
  const url = `${sandbox.baseUrl}/transactions/status?client_id=${clientId}&reference=${reference}`;
  const response = await sandbox.fetch(new Request(url, { headers }));
  if (response.status !== 200) throw new Error(`failed with ${response.status}`);
};

const lookups = 5000;
const lookAtMany = () =>
  timed(async () => {
    for (let at = 0; at < lookups; at++) {
      await look(sandbox.transactions[(at * 7919) % sandbox.transactions.length]?.reference);
    }
  });

for (let key = 0; key < 5000; key++) await buy(-1 - key);
sandbox.reset();
const before = heap();

console.log('In process, one caller after the other, each call a Request');
const block = 10_000;
let total = 0;
let lookupsInSmall = 0;
for (let from = 0; from < wanted; from += block) {
  if (from === block) lookupsInSmall = await lookAtMany();
  const ms = await timed(async () => {
    for (let key = from; key < from + block; key++) await buy(key);
  });
  total += ms;
  console.log(
    `  purchases ${shown(from)} to ${shown(from + block)}: ${shown(perSecond(block, ms))} a second`,
  );
}
const after = heap();
const lookupsInFull = await lookAtMany();
const rate = perSecond(wanted, total);
console.log(`  ${shown(wanted)} purchases: ${shown(rate)} a second`);
console.log(
  `  lookups with ${shown(block)} transactions: ${shown(perSecond(lookups, lookupsInSmall))} a second`,
);
console.log(
  `  lookups with ${shown(wanted)} transactions: ${shown(perSecond(lookups, lookupsInFull))} a second`,
);
console.log(
  `  heap: ${shown(Math.round((after - before) / 2 ** 20))} MiB for ${shown(wanted)} transactions and the last requests`,
);

const overFetch = 20_000;
const fetchMs = await timed(async () => {
  for (let key = 0; key < overFetch; key++) {
    const response = await sandbox.fetch(`${sandbox.baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers,
      body: purchaseBody(wanted + key),
    });
    if (response.status !== 202) throw new Error(`failed with ${response.status}`);
  }
});
console.log(`  the same by url and init, as the SDK calls: ${shown(perSecond(overFetch, fetchMs))} a second`);

const auditMs = await timed(async () => {
  const { ok, problems } = sandbox.audit();
  if (!ok) throw new Error(problems[0]);
});
console.log(`  audit of all of it: ${Math.round(auditMs)} ms`);

console.log('Over loopback, 32 connections, client and server on the same core');
const listening = await sandbox.listen();
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const post = (key: string) =>
  new Promise<void>((resolve, reject) => {
    const sent = httpRequest(
      `${listening.baseUrl}/airtime/purchase`,
      { method: 'POST', headers, agent },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 202 ? resolve() : reject(new Error(`failed with ${response.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(purchaseBody(0).replace('order-0', key));
  });
const overLoopback = 20_000;
let next = 0;
const loopbackMs = await timed(async () => {
  const caller = async () => {
    while (next < overLoopback) await post(`port-${next++}`);
  };
  await Promise.all(Array.from({ length: 32 }, caller));
});
console.log(`  ${shown(overLoopback)} purchases: ${shown(perSecond(overLoopback, loopbackMs))} a second`);
agent.destroy();
await sandbox.close();

if (rate < 10_000) {
  console.error(`Too slow: ${shown(rate)} purchases a second, wanted 10,000`);
  process.exitCode = 1;
}
