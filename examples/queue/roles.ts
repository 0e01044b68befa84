// What the processes of both examples do: place one order, work, or receive webhooks.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Orders } from 'billpay/orders';

/** Plays the role that the command line names. `close` ends the connections. */
export async function play<Client>(orders: Orders<Client>, close: () => Promise<void>): Promise<void> {
  const [role, biller = '', recipient = '', amount] = process.argv.slice(2);
  if (role === 'order') {
    const id = randomUUID();
    await orders.place({ id, product: 'airtime', params: { biller, recipient, amount: Number(amount) } });
    console.log(`order ${id} is placed`);
    await close();
  } else if (role === 'worker') {
    const worker = orders.start();
    console.log('working; stop with Ctrl+C');
    process.once('SIGINT', () => worker.stop().then(close));
  } else if (role === 'receiver') {
    const { BILLPAY_WEBHOOK_SECRET: secret, PORT = '3000' } = process.env;
    const server = createServer(orders.nodeWebhookHandler({ secret })).listen(Number(PORT));
    console.log(`receiving webhooks on port ${PORT}; stop with Ctrl+C`);
    process.once('SIGINT', () => server.close(() => void close()));
  } else {
    console.error('usage: order BILLER RECIPIENT AMOUNT | worker | receiver');
    await close();
    process.exitCode = 2;
  }
}
