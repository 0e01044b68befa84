import { BillPay } from 'billpay';
import { createOrders, postgresOrderStore } from 'billpay/orders';
import { Pool } from 'pg';

const store = postgresOrderStore(new Pool({ connectionString: process.env['DATABASE_URL'] }));
export const orders = createOrders({ billpay: new BillPay({ pacing: true }), store });

/** One step with an order, for an engine that repeats what failed. Returns the ms until the next step; null when nothing is left to do. */
export async function continueOrder(id: string): Promise<number | null> {
  const wait = await orders.run(id);
  return wait === undefined ? null : Math.max(1000, wait);
}
