import { BillPay } from 'billpay';
import { createOrders, postgresOrderStore } from 'billpay/orders';
import { Pool } from 'pg';

const store = postgresOrderStore(new Pool({ connectionString: process.env['DATABASE_URL'] }));
export const orders = createOrders({ billpay: new BillPay({ pacing: true }), store });

/** One step with an order, for an engine that repeats what failed. Returns the ms until the next step; null when nothing is left to do. */
export async function continueOrder(id: string): Promise<number | null> {
  await orders.run({ type: 'order', id });
  const { dueAt } = (await orders.find(id)) ?? {};
  return dueAt ? Math.max(1000, dueAt.getTime() - Date.now()) : null;
}
