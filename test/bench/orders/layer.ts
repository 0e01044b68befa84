import { Queue, Worker } from 'bullmq';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import {
  bullmqQueue,
  createOrders,
  inProcessQueue,
  type OrderQueue,
  type OrderWorker,
  pgBossQueue,
  postgresOrderStore,
} from '../../../src/orders/index.js';
import { type Contender, paramsOf, type Surroundings } from './contender.js';

type Engine = 'in-process' | 'pg-boss' | 'bullmq';

/** `billpay/orders` on PostgreSQL, with one of its queues. */
export async function layer(engine: Engine, surroundings: Surroundings): Promise<Contender> {
  const { billpay, databaseUrl, run, concurrency, onBuy, onAccepted } = surroundings;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const table = `layer_${run}`;
  const store = postgresOrderStore<pg.PoolClient>(pool, { table });
  await store.createTables();
  const { queue, close } = await open(engine, surroundings);
  const orders = createOrders<pg.PoolClient>({
    billpay: {
      purchase: (item, options) => {
        onBuy(item.idempotency_key);
        return billpay.purchase(item, options);
      },
      transactions: billpay.transactions,
    },
    store,
    queue,
    concurrency,
    onTransition: ({ id }, _, to) => {
      if (to === 'accepted') onAccepted(id);
    },
  });
  let worker: OrderWorker | undefined;
  return {
    name: engine,
    async place(id) {
      const order = { id, product: 'airtime', params: paramsOf() } as const;
      // Only pg-boss can store the job in the transaction of the order.
      if (engine === 'pg-boss') await store.transaction((client) => orders.place(order, { client }));
      else await orders.place(order);
    },
    async start() {
      worker = orders.start();
    },
    async stop() {
      await worker?.stop();
      await close();
      await pool.query(`DROP TABLE ${table}_events, ${table}_version, ${table}`);
      await pool.end();
    },
  };
}

async function open(
  engine: Engine,
  { databaseUrl, redisUrl, run }: Surroundings,
): Promise<{ queue: OrderQueue<pg.PoolClient>; close: () => Promise<void> }> {
  if (engine === 'pg-boss') {
    const boss = new PgBoss({ connectionString: databaseUrl, schema: `layer_boss_${run}` });
    await boss.start();
    return { queue: pgBossQueue(boss), close: () => boss.stop({ graceful: false }) };
  }
  if (engine === 'bullmq') {
    const connection = { url: redisUrl, maxRetriesPerRequest: null };
    const queue = new Queue(`layer-${run}`, { connection });
    return { queue: bullmqQueue({ queue, Worker, connection }), close: () => queue.close() };
  }
  return { queue: inProcessQueue(), close: async () => {} };
}
