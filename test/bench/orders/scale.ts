import pg from 'pg';
import { postgresOrderStore } from '../../../src/orders/index.js';

/** ms of each operation at its fastest, by the number of finished orders. */
export interface ScaleFigures {
  readonly finished: number;
  readonly ms: Readonly<Record<string, number>>;
}

const rounds = 30;

/** What scans and lists cost beside `finished` finished orders of the past year, and 100 open ones. */
export async function measureScale(databaseUrl: string, finished: number): Promise<ScaleFigures> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const table = `scale_${process.pid}_${finished}`;
  const store = postgresOrderStore(pool, { table });
  await store.createTables();
  await pool.query(
    `INSERT INTO ${table} (id, product, params, state, attempt, reference, amount, created_at, updated_at)
SELECT 'done-' || n, 'airtime', '{"biller":"MTN","recipient":"08031234567","amount":500}',
  CASE WHEN n % 20 = 0 THEN 'failed' WHEN n % 33 = 0 THEN 'refused' ELSE 'delivered' END,
  1, 'TXN-' || n, 500, at, at
FROM generate_series(1, $1) AS n, LATERAL (SELECT now() - n * interval '365 days' / $1) AS times (at)`,
    [finished],
  );
  await pool.query(
    `INSERT INTO ${table} (id, product, params, state, due_at)
SELECT 'open-' || n, 'airtime', '{"biller":"MTN","recipient":"08031234567","amount":500}',
  (ARRAY['placed', 'accepted', 'unknown', 'review'])[1 + n % 4], now() - interval '1 second'
FROM generate_series(1, 100) AS n`,
  );
  await pool.query(`VACUUM ANALYZE ${table}`);
  const [middle] = (await store.list({ limit: Math.min(finished, 500) })).slice(-1);
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    'scan: what is due': () => store.due(1000),
    'scan: kept webhooks': () => store.settleableEvents(1000),
    'list, newest 50': () => store.list({ limit: 50 }),
    'list, 50 in review': () => store.list({ state: 'review', limit: 50 }),
    'list, 50 delivered': () => store.list({ state: 'delivered', limit: 50 }),
    'list, a later page': () => store.list({ limit: 50, after: middle }),
    find: () => store.find(`done-${Math.ceil(finished / 2)}`),
    stats: () => store.stats(),
  };
  const ms: Record<string, number> = {};
  for (const [name, run] of Object.entries(operations)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      await run();
      times.push(performance.now() - start);
    }
    ms[name] = Math.min(...times);
  }
  await pool.query(`DROP TABLE ${table}_events, ${table}_version, ${table}`);
  await pool.end();
  return { finished, ms };
}
