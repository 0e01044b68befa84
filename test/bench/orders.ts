/**
 * What `billpay/orders` costs: orders a second from placed to accepted on each queue, beside the same job by hand on bare pg-boss and bare
 * BullMQ; statements an order; time from place to buy; the cost of scans and lists at 1,000,000 finished orders against 1,000.
 * Needs PostgreSQL and Redis. Writes its results into docs/orders-stores.md.
 * Compiled before it runs, as the package is: a loader of TypeScript adds a call to each function that the measured code makes.
 * Run: npm run bench:orders -- [orders] [rounds]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import pg from 'pg';
import { BillPay } from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { fixed, table } from './format.js';
import { median } from './measure.js';
import { bullmqByHand, pgBossByHand } from './orders/by-hand.js';
import type { Contender, Surroundings } from './orders/contender.js';
import { layer } from './orders/layer.js';
import { measureScale, type ScaleFigures } from './orders/scale.js';
import { measureLatency, measureThroughput, type Throughput } from './orders/throughput.js';

const concurrency = 8;
const mostQueries = 6;
const mostRatio = 1.3;

/** The service in a process of its own, so that its work is not counted. */
async function serve(): Promise<void> {
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e12, rateLimits: false });
  const { baseUrl } = await sandbox.listen();
  const { clientId, secretKey } = sandbox.credentials;
  process.send?.({ baseUrl, clientId, apiKey: secretKey });
  process.on('disconnect', () => process.exit());
}

async function startService() {
  const child = fork(new URL(import.meta.url), ['service']);
  const [access] = await once(child, 'message');
  return { access: access as { baseUrl: string; clientId: string; apiKey: string }, child };
}

const contenders: Readonly<Record<string, (surroundings: Surroundings) => Promise<Contender>>> = {
  'in-process': (surroundings) => layer('in-process', surroundings),
  'pg-boss': (surroundings) => layer('pg-boss', surroundings),
  'pg-boss, by hand': pgBossByHand,
  bullmq: (surroundings) => layer('bullmq', surroundings),
  'bullmq, by hand': bullmqByHand,
};

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

interface Results {
  readonly count: number;
  readonly rounds: number;
  readonly throughput: ReadonlyMap<string, readonly Throughput[]>;
  readonly latency: ReadonlyMap<string, readonly number[]>;
  readonly scale: readonly ScaleFigures[];
  readonly postgres: string;
}

function report({ count, rounds, throughput, latency, scale, postgres }: Results): string {
  // The best round: other work of the machine only ever makes a round slower.
  const least = (name: string, figure: (one: Throughput) => number) =>
    Math.min(...(throughput.get(name) ?? []).map(figure));
  const speed = (name: string) => 1 / least(name, (one) => 1 / one.ordersPerSecond);
  const cpu = (name: string) => least(name, (one) => one.cpuMs);
  const ratios = (name: string) => {
    const byHand = `${name}, by hand`;
    const rounds = throughput.get(name) ?? [];
    const others = throughput.get(byHand);
    if (!others) return ['', ''];
    // Within a round, because the machine may be faster in one round than in the next.
    const ratio = (of: (one: Throughput, other: Throughput) => number) =>
      fixed(median(rounds.map((one, round) => of(one, others[round] ?? one))), 2);
    return [
      ratio((one, other) => other.ordersPerSecond / one.ordersPerSecond),
      ratio((one, other) => one.cpuMs / other.cpuMs),
    ];
  };
  const [few, many] = scale;
  const operations = Object.keys(few?.ms ?? {});
  const date = new Date().toISOString().slice(0, 10);
  const cores = cpus();
  return `${date}, Node ${process.versions.node}, PostgreSQL ${postgres} without fsync, ${cores.length} cores (${cores[0]?.model.trim()}); ${count} orders,
${concurrency} at a time, the best of ${rounds} rounds; ratios are the median of those within a round. The worker, the shop and the engine share one process, the service has
its own. \`npm run bench:orders\` measures it again and writes this section.

${table(
  [
    'queue',
    'orders a second',
    'time ratio',
    'CPU an order, ms',
    'CPU ratio',
    'statements an order',
    "the engine's",
  ],
  [...throughput.keys()].map((name) => {
    const [ofSpeed, ofCpu] = ratios(name);
    const queries = (whose: 'orders' | 'engine') => least(name, (one) => one.queries[whose]);
    return [
      name,
      fixed(speed(name), 0),
      ofSpeed,
      fixed(cpu(name), 2),
      ofCpu,
      fixed(queries('orders'), 1),
      fixed(queries('engine'), 1),
    ];
  }),
)}

"By hand" is the same job on the bare engine: an order table with guarded updates, one attempt under the order's id, no history, no early
webhooks, no sweep. The ratios are this layer's time, and CPU time of the process, to those by hand; the goal is at most ${mostRatio}. Statements
are counted from \`place\` to accepted; on pg-boss, BEGIN and COMMIT of the shop's own transaction are two of them. The goal is at most ${mostQueries}.

| from \`place\` to the purchase, ms | median | 90% |
|---|---|---|
${[...latency].map(([name, times]) => `| ${name} | ${fixed(median([...times]), 0)} | ${fixed(percentile(times, 0.9), 0)} |`).join('\n')}

pg-boss is asked for jobs once in \`pollingInterval\`, a second by default. \`orders.buy(id)\` waits for no queue.

| PostgreSQL, the fastest of 30, ms | ${few?.finished.toLocaleString('en')} finished orders | ${many?.finished.toLocaleString('en')} |
|---|---|---|
${operations.map((name) => `| ${name} | ${fixed(few?.ms[name], 2)} | ${fixed(many?.ms[name], 2)} |`).join('\n')}
`;
}

async function main(): Promise<void> {
  const { BILLPAY_TEST_POSTGRES_URL: databaseUrl, BILLPAY_TEST_REDIS_URL: redisUrl } = process.env;
  if (!databaseUrl || !redisUrl) throw new Error('start the services first: see test/services/start.sh');
  const [count = 2000, rounds = 5] = process.argv.slice(2).map(Number);
  const { access, child } = await startService();
  const billpay = new BillPay({ ...access, logLevel: 'error' });
  const given = { billpay, databaseUrl, redisUrl, concurrency };
  const throughput = new Map<string, Throughput[]>();
  // Round by round, so that a busy moment of the machine does not fall on one contender alone.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, open] of Object.entries(contenders)) {
      const measured = await measureThroughput(open, given, count);
      console.log(round, name, measured);
      // The first round warms up.
      if (round > 0) throughput.set(name, [...(throughput.get(name) ?? []), measured]);
    }
  }
  const latency = new Map<string, number[]>();
  for (const name of ['in-process', 'pg-boss', 'bullmq']) {
    const open = contenders[name];
    if (open) latency.set(name, await measureLatency(open, given, 20));
  }
  const scale = [await measureScale(databaseUrl, 1000), await measureScale(databaseUrl, 1_000_000)];
  child.disconnect();
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const { rows } = await pool.query('SHOW server_version');
  await pool.end();
  const text = report({ count, rounds, throughput, latency, scale, postgres: rows[0].server_version });
  console.log(text);
  const page = 'docs/orders-stores.md';
  const before = readFileSync(page, 'utf8');
  const marks = /(<!-- bench:orders -->\n)[\s\S]*(<!-- \/bench:orders -->)/;
  writeFileSync(
    page,
    before.replace(marks, (_, start, end) => `${start}\n${text}\n${end}`),
  );
}

await (process.argv[2] === 'service' ? serve() : main());
