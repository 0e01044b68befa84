// How an order comes to its end: by webhook, and by a sweep for what no webhook reported.
import type { BillPay } from 'billpay';
import { createWebhookHandler, redisDedupe, type WebhookHandler } from 'billpay/webhooks';
import type { Redis } from 'ioredis';
import type { Settlement } from '../order.js';
import type { Orders } from './orders.js';

/** A receiver of webhooks. The order moves in one transaction of Redis; done twice, the second changes nothing. */
export function receiver(redis: Redis, orders: Orders, secret: string | undefined): WebhookHandler {
  const handle = async (settlement: Settlement) => {
    // The event can come before the worker has written the reference down: then the service delivers it again.
    const known = await orders.settle(settlement);
    if (known === undefined) throw new Error(`no order for ${settlement.reference} yet`);
  };
  return createWebhookHandler({
    secret,
    dedupe: redisDedupe(redis),
    on: {
      'transaction.completed': ({ data }) =>
        handle({ reference: data.reference, state: 'delivered', token: data.token ?? null }),
      'transaction.failed': ({ data }) => handle({ reference: data.reference, state: 'failed', token: null }),
    },
  });
}

/** Looks after orders that nothing has been heard of for so long. Run it every few minutes, in one process. */
export async function sweep(orders: Orders, billpay: BillPay, afterMs = 900_000): Promise<void> {
  for (const reference of await orders.openSince(Date.now() - afterMs)) {
    // First, so that one that cannot be looked up does not keep the others from their turn.
    await orders.looked(reference);
    const { transaction_status: status, token } = await billpay.transactions.status(reference);
    if (status === 'success') await orders.settle({ reference, state: 'delivered', token: token ?? null });
    if (status === 'failed') await orders.settle({ reference, state: 'failed', token: null });
  }
  // Placed orders whose job was given up all the same: the key stays, so this never buys twice.
  for (const job of await orders.queue.getFailed()) await job.retry();
}
