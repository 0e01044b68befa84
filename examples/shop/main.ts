/**
 * A reseller's shop on one machine: `npx tsx examples/shop/main.ts`.
 *
 * SQLite in `shop.db` (or `SHOP_DB`) and the sandbox in this process, which keeps its purchases in a file beside it. With DATABASE_URL the orders are kept in PostgreSQL; with
 * BILLPAY_BASE_URL, BILLPAY_API_KEY, BILLPAY_CLIENT_ID and BILLPAY_WEBHOOK_SECRET the shop sells through that environment.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { serve } from '@hono/node-server';
import { BillPay } from 'billpay';
import { postgresOrderStore, sqliteOrderStore } from 'billpay/orders';
import { createSandbox } from 'billpay/sandbox';
import { Pool, type PoolClient } from 'pg';
import { createApp } from './app.js';
import { postgresCarts } from './carts-postgres.js';
import { sqliteCarts } from './carts-sqlite.js';
import { createShop, type Shop } from './shop.js';
import { openSqlite } from './sqlite.js';

const {
  DATABASE_URL,
  SHOP_DB = 'shop.db',
  PORT = '3000',
  BILLPAY_BASE_URL,
  BILLPAY_WEBHOOK_SECRET,
} = process.env;
const port = Number(PORT);

/** Ends the process in one line where another program has the port, before anything is written or subscribed. */
async function assertFree(wanted: number): Promise<void> {
  const probe = createServer().listen(wanted, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (error) {
    console.error(
      `The shop cannot listen on port ${wanted} (${(error as NodeJS.ErrnoException).code}): stop what uses it, or set PORT.`,
    );
    process.exit(1);
  }
  probe.close();
  await once(probe, 'close');
}

async function openShop(billpay: BillPay): Promise<Shop> {
  if (DATABASE_URL) {
    const pool = new Pool({ connectionString: DATABASE_URL });
    const store = postgresOrderStore<PoolClient>(pool);
    await store.createTables();
    return createShop(billpay, store, await postgresCarts(pool));
  }
  const database = await openSqlite(SHOP_DB);
  return createShop(billpay, sqliteOrderStore(database), sqliteCarts(database));
}

/** The client of the environment, or of a sandbox in this process. */
async function connect(): Promise<{ billpay: BillPay; secret: string | undefined }> {
  if (BILLPAY_BASE_URL) return { billpay: new BillPay({ pacing: true }), secret: BILLPAY_WEBHOOK_SECRET };
  const sandbox = createSandbox({ balance: 1_000_000, settleAfter: 3000, state: `${SHOP_DB}.sandbox` });
  const { baseUrl, connection } = await sandbox.listen({ port: 0 });
  const billpay = new BillPay(connection);
  const { secret } = await billpay.webhooks.subscribe({ url: `http://127.0.0.1:${port}/webhooks/billpay` });
  console.log(`sandbox   ${new URL(baseUrl).origin} (its page shows every purchase)`);
  return { billpay, secret };
}

await assertFree(port);
const { billpay, secret } = await connect();
const shop = await openShop(billpay);
const app = createApp(shop, shop.orders.webhookHandler({ secret }));
const worker = shop.orders.start();
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () =>
  console.log(`shop      http://127.0.0.1:${port}`),
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close();
    await worker.stop();
    process.exit(0);
  });
}
