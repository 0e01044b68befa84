/** A process of a shop whose customers tap twice: it places what it is sent, at the moment that it is sent. */
import { createOrders, DuplicateOrderError, postgresOrderStore } from 'billpay/orders';
import pg from 'pg';

const { DATABASE_URL, TABLE } = process.env;
const never = () => Promise.reject(new Error('nothing is bought here'));

const orders = createOrders({
  billpay: { purchase: never, transactions: { status: never } },
  store: postgresOrderStore(new pg.Pool({ connectionString: String(DATABASE_URL) }), {
    table: String(TABLE),
  }),
  duplicateWithin: 60_000,
});

/** What one tap asks for. */
export interface Tap {
  readonly id: string;
  readonly at: number;
  readonly recipient: string;
  readonly amount: number;
  readonly customer?: string;
}

/** What became of a tap: the id of the order that the customer is shown. */
export interface Tapped {
  readonly id: string;
  readonly order?: string;
  readonly error?: string;
}

async function tap({ id, at, recipient, amount, customer }: Tap): Promise<Tapped> {
  // All processes go in the same ms.
  while (Date.now() < at);
  try {
    const params = { biller: 'MTN', recipient, amount };
    const order = await orders.place({ id, product: 'airtime', params }, { ...(customer && { customer }) });
    return { id, order: order.id };
  } catch (error) {
    return error instanceof DuplicateOrderError
      ? { id, order: error.order.id }
      : { id, error: String(error) };
  }
}

process.on('message', (taps: Tap[]) => {
  for (const given of taps) void tap(given).then((tapped) => process.send?.(tapped));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
