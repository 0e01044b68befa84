// Buys what stands in the queue. Run as many as you like, on as many machines: they share one rate limit.
import type { BillPay, SharedPacing } from 'billpay';
import type { Pool } from 'pg';
import type PgBoss from 'pg-boss';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { attempt, type Order } from '../order.js';
import { putOff, queue } from './schema.js';

/** Limiters that live in the database, for `new BillPay({ pacing })`: points in so many seconds. */
export function sharedPacing(
  storeClient: Pool,
  purchases = { points: 20, duration: 60 },
  requests = { points: 60, duration: 60 },
): SharedPacing {
  const table = { storeClient, tableName: 'rate_limits', tableCreated: true };
  return {
    purchases: new RateLimiterPostgres({ ...table, keyPrefix: 'purchases', ...purchases }),
    requests: new RateLimiterPostgres({ ...table, keyPrefix: 'requests', ...requests }),
  };
}

export async function work(pool: Pool, boss: PgBoss, billpay: BillPay, concurrency = 8): Promise<void> {
  const handle = async ([job]: PgBoss.Job[]): Promise<void> => {
    if (!job) return;
    const begun = await beginAttempt(pool, job.id);
    if (!begun) return;
    const { doubt, ...order } = begun;
    const attempted = await attempt(billpay, order, doubt);
    if (attempted.end === 'later') {
      if (attempted.alarm) console.error(`nothing can be sold: ${attempted.alarm}`);
      await putOff(pool, boss, order.id, attempted);
    } else {
      // A worker that was taken for dead may come back: only one of them moves the order on.
      const { reference, problem } = { reference: null, problem: null, ...attempted };
      await pool.query(
        `UPDATE orders SET state = $2, reference = $3, problem = $4, touched = now() WHERE id = $1 AND state = 'placed'`,
        [order.id, attempted.end, reference, problem],
      );
    }
  };
  for (let lane = 0; lane < concurrency; lane++) {
    await boss.work(queue, { batchSize: 1, pollingIntervalSeconds: 0.5 }, handle);
  }
}

/** The order with the doubt that earlier attempts left. The doubt is stored first, because this worker may be killed during the attempt. */
async function beginAttempt(pool: Pool, id: string): Promise<(Order & { doubt: boolean }) | undefined> {
  const { rows } = await pool.query<Order & { doubt: boolean }>(
    `WITH before AS (SELECT id, doubt FROM orders WHERE id = $1 AND state = 'placed' FOR UPDATE)
     UPDATE orders SET doubt = true FROM before WHERE orders.id = before.id
     RETURNING orders.id, orders.biller, orders.recipient, orders.amount::float8 AS amount, before.doubt`,
    [id],
  );
  return rows[0];
}
