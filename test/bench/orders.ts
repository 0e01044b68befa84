import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Queue, Worker } from 'bullmq';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { BillPay } from '../../src/index.js';
import type { OrderQueue } from '../../src/orders/index.js';
import { median, packageFolder, type Result, ratio, rounds } from './measure.js';
import { type Contender, onBullmq, onPgBoss, type Surroundings } from './orders-by-hand.js';

const load = <T>(entry: string): Promise<T> => import(pathToFileURL(`${packageFolder}/dist/${entry}`).href);

const count = 1000;
const concurrency = 8;
let runs = 0;

/** `billpay/orders` on PostgreSQL, with a queue. */
async function layer(engine: 'pg-boss' | 'bullmq', surroundings: Surroundings): Promise<Contender> {
  const { databaseUrl, redisUrl, run, billpay, onAccepted } = surroundings;
  const { bullmqQueue, createOrders, pgBossQueue, postgresOrderStore } =
    await load<typeof import('../../src/orders/index.js')>('orders/index.js');
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const store = postgresOrderStore<pg.PoolClient>(pool, { table: `layer_${run}` });
  await store.createTables();
  let queue: OrderQueue<pg.PoolClient>;
  let close: () => Promise<void>;
  if (engine === 'pg-boss') {
    const boss = new PgBoss({ connectionString: databaseUrl, schema: `layer_boss_${run}` });
    await boss.start();
    queue = pgBossQueue(boss);
    close = () => boss.stop({ graceful: false });
  } else {
    const connection = { url: redisUrl, maxRetriesPerRequest: null };
    const jobs = new Queue(`layer-${run}`, { connection });
    queue = bullmqQueue({ queue: jobs, Worker, connection });
    close = () => jobs.close();
  }
  const orders = createOrders<pg.PoolClient>({
    billpay,
    store,
    queue,
    concurrency,
    onTransition: (_order, _from, to) => {
      if (to === 'accepted') onAccepted();
    },
  });
  const worker = orders.start();
  return {
    async place(id) {
      const params = { biller: 'MTN', recipient: '08031234567', amount: 100 };
      const order = { id, product: 'airtime', params } as const;
      // Only pg-boss can store the job in the transaction of the order.
      if (engine === 'pg-boss') await store.transaction((client) => orders.place(order, { client }));
      else await orders.place(order);
    },
    async stop() {
      await worker.stop();
      await close();
      await pool.end();
    },
  };
}

/** ms of an order, from the first one placed to the last one accepted, with the worker in the same process. */
async function timeOf(
  open: (surroundings: Surroundings) => Promise<Contender>,
  given: Omit<Surroundings, 'onAccepted' | 'run'>,
): Promise<number> {
  let accepted = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const onAccepted = () => {
    accepted++;
    if (accepted === count) finish();
  };
  const contender = await open({ ...given, onAccepted, run: `${process.pid}_${runs++}` });
  // What a worker does at its start, once, is no part of an order.
  await setTimeout(1000);
  const start = performance.now();
  let next = 0;
  const placer = async () => {
    while (next < count) await contender.place(`order-${next++}`);
  };
  await Promise.all(Array.from({ length: concurrency }, placer));
  await finished;
  const ms = (performance.now() - start) / count;
  await contender.stop();
  return ms;
}

/** ms of a scan for what is due, the fastest of twenty, with so many finished orders in the table. */
async function scanOf(databaseUrl: string, finished: number): Promise<number> {
  const { postgresOrderStore } = await load<typeof import('../../src/orders/index.js')>('orders/index.js');
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const table = `scan_${process.pid}_${finished}`;
  const store = postgresOrderStore<pg.PoolClient>(pool, { table });
  await store.createTables();
  const params = { biller: 'MTN', recipient: '08031234567', amount: 100 };
  await store.transaction((client) => store.insert({ id: 'seed', product: 'airtime', params }, { client }));
  const { rows } = await pool.query(`SELECT * FROM ${table}`);
  const columns = Object.keys(rows[0]).map((name) => `"${name}"`);
  const values = columns.map((name) =>
    name === '"id"'
      ? `'finished-' || n`
      : name === '"state"'
        ? `'delivered'`
        : name === '"due_at"'
          ? 'NULL'
          : name,
  );
  await pool.query(
    `INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${table}, generate_series(1, ${finished}) n`,
  );
  await pool.query(`ANALYZE ${table}`);
  const times: number[] = [];
  for (let at = 0; at < 20; at++) {
    const start = performance.now();
    await store.due('purchase', 50);
    times.push(performance.now() - start);
  }
  await pool.query(`DROP TABLE ${table}, ${table}_locks`);
  await pool.end();
  return Math.min(...times);
}

/** Time of an order beside the same job by hand on each engine, and of a scan with a million finished orders beside a thousand. */
export async function measureOrders(howOften: number): Promise<Result[]> {
  const { BILLPAY_TEST_POSTGRES_URL: databaseUrl, BILLPAY_TEST_REDIS_URL: redisUrl } = process.env;
  if (!databaseUrl || !redisUrl) throw new Error('eval "$(test/services/start.sh $$)" first');
  const { createSandbox } = await load<typeof import('../../src/sandbox/index.js')>('sandbox/index.cjs');
  const { BillPay: Client } = await load<typeof import('../../src/index.js')>('index.js');
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e12 });
  const billpay: BillPay = new Client(sandbox.connection);
  const given = { billpay, databaseUrl, redisUrl, concurrency };
  const contenders = {
    'pg-boss': () => timeOf((own) => layer('pg-boss', own), given),
    'pg-boss by hand': () => timeOf(onPgBoss, given),
    bullmq: () => timeOf((own) => layer('bullmq', own), given),
    'bullmq by hand': () => timeOf(onBullmq, given),
  };
  // A worker runs for days: the time in which its code is compiled does not count.
  await rounds(1, contenders);
  const all = await rounds(howOften, contenders);
  await sandbox.close();
  console.log(
    Object.entries(all)
      .map(([name, times]) => `        ${name}: ${median(times).toFixed(2)} ms an order`)
      .join('\n'),
  );
  const [few, many] = [await scanOf(databaseUrl, 1000), await scanOf(databaseUrl, 1_000_000)];
  return [
    {
      measure: 'time of an order on pg-boss, x by hand',
      value: ratio(all, 'pg-boss', 'pg-boss by hand'),
      target: 1.3,
    },
    {
      measure: 'time of an order on BullMQ, x by hand',
      value: ratio(all, 'bullmq', 'bullmq by hand'),
      target: 1.3,
    },
    { measure: 'scan with 1,000,000 finished orders, x with 1,000', value: many / few, target: 1.5 },
  ];
}
