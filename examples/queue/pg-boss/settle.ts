// How an order comes to its end: by webhook, and by a sweep for what no webhook reported.
import type { BillPay } from 'billpay';
import { createWebhookHandler, postgresDedupe, type WebhookHandler } from 'billpay/webhooks';
import type { Pool, PoolClient } from 'pg';
import type PgBoss from 'pg-boss';
import type { Settlement } from '../order.js';
import { putOff, queue, transaction } from './schema.js';

/** Moves an accepted order to its end, once. False where no order has this reference. */
async function settle(client: Pool | PoolClient, { reference, state, token }: Settlement): Promise<boolean> {
  const moved = await client.query(
    `UPDATE orders SET state = $2, token = $3, touched = now() WHERE reference = $1 AND state = 'accepted'`,
    [reference, state, token],
  );
  if (moved.rowCount === 1) return true;
  const { rows } = await client.query('SELECT 1 FROM orders WHERE reference = $1', [reference]);
  return rows.length === 1;
}

/** A receiver of webhooks: the order and the mark that its event was handled are written in one transaction. */
export async function receiver(pool: Pool, secret: string | undefined): Promise<WebhookHandler> {
  const dedupe = postgresDedupe(pool);
  await dedupe.createTable();
  const handle = (settlement: Settlement, key: string) =>
    transaction(pool, async (client) => {
      // The event can come before the worker has written the reference down: then the service delivers it again.
      if (!(await settle(client, settlement))) throw new Error(`no order for ${settlement.reference} yet`);
      await dedupe.withTransaction(client).done(key);
    });
  return createWebhookHandler({
    secret,
    dedupe,
    on: {
      'transaction.completed': ({ data }, { key }) =>
        handle({ reference: data.reference, state: 'delivered', token: data.token ?? null }, key),
      'transaction.failed': ({ data }, { key }) =>
        handle({ reference: data.reference, state: 'failed', token: null }, key),
    },
  });
}

/** Looks after orders that nothing has been heard of for so long. Run it every few minutes, in one process. */
export async function sweep(pool: Pool, boss: PgBoss, billpay: BillPay, afterMs = 900_000): Promise<void> {
  const { rows } = await pool.query<{ id: string; reference: string | null }>(
    `SELECT id, reference FROM orders WHERE state IN ('placed', 'accepted')
       AND touched < now() - $1 * interval '1 millisecond' ORDER BY touched LIMIT 100`,
    [afterMs],
  );
  for (const { id, reference } of rows) {
    // First, so that one that cannot be looked up does not keep the others from their turn.
    await pool.query('UPDATE orders SET touched = now() WHERE id = $1', [id]);
    if (reference === null) {
      // Placed, and not yet accepted. If its job is gone it gets a new one; the key stays, so this never buys twice.
      const job = await boss.getJobById(queue, id);
      if (!job || job.completedOn) await putOff(pool, boss, id, { afterMs: 0 });
    } else {
      const { transaction_status: status, token } = await billpay.transactions.status(reference);
      if (status === 'success') await settle(pool, { reference, state: 'delivered', token: token ?? null });
      if (status === 'failed') await settle(pool, { reference, state: 'failed', token: null });
    }
  }
}
