import { BillPay } from '../../index.js';
import {
  createOrders,
  memoryOrderStore,
  type Orders,
  postgresOrderStore,
  sqliteOrderStore,
} from '../../orders/index.js';
import type { OrderStore } from '../../orders/store.js';
import type { WebhookHandler } from '../../webhooks/index.js';
import { databaseError, nodeSqlite, openPostgres } from '../database.js';
import { CommandError } from '../frame.js';
import { planOrders } from './plan.js';

/** Where the orders of the proof are stored. */
export type ProofDatabase =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `folder`: where `pg` is installed. `table`: every table of the proof is named after it. */
  | { readonly kind: 'postgres'; readonly url: string; readonly table: string; readonly folder: string };

/** What the processes of a shop have in common. */
export interface ShopSettings {
  readonly database: ProofDatabase;
  /** How many orders it buys. */
  readonly orders: number;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly webhookSecret: string;
}

/** The backend of a shop on its database. */
export interface Shop {
  readonly orders: Pick<Orders<unknown>, 'stats' | 'reconcile'>;
  readonly receive: WebhookHandler;
  /** Places every order that is not placed yet, and starts the worker; resolves to what stops it. */
  sell(): Promise<{ stop(): Promise<void> }>;
  /** Removes the tables of the proof, and closes the database. */
  remove(): Promise<void>;
}

/** Opens the database and starts nothing yet. */
export async function openShop(settings: ShopSettings): Promise<Shop> {
  const { baseUrl, apiKey, clientId, webhookSecret: secret } = settings;
  const { store, remove } = await openStore(settings.database).catch((error: unknown) => {
    throw databaseError(error);
  });
  const orders = createOrders({
    billpay: new BillPay({ baseUrl, apiKey, clientId, timeout: 1500, maxRetries: 1, logLevel: 'off' }),
    store,
    retryDelay: () => 300,
    // What fails is repeated; the comparison shows what was not.
    onError: () => {},
    // So that the proof takes seconds where a shop would wait for minutes.
    buyTimeout: 3000,
    lease: 3500,
    checkAfter: 2000,
    sweepInterval: 500,
  });
  const logger = { info() {}, warn() {}, error() {} };
  return {
    orders,
    receive: orders.webhookHandler({ secret, logger }),
    remove,
    async sell() {
      for (const { input } of planOrders(settings.orders)) await orders.place(input);
      return orders.start();
    },
  };
}

interface OpenStore {
  readonly store: OrderStore<unknown>;
  remove(): Promise<void>;
}

async function openStore(database: ProofDatabase): Promise<OpenStore> {
  if (database.kind === 'memory') return { store: memoryOrderStore(), remove: async () => {} };
  if (database.kind === 'postgres') return openTables(database);
  const sqlite = nodeSqlite();
  if (!sqlite)
    throw new CommandError('node:sqlite needs Node 22.13 or later: give --database-url or --memory');
  const file = new sqlite.DatabaseSync(database.path);
  file.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000');
  return { store: sqliteOrderStore(file), remove: async () => void file.close() };
}

async function openTables({
  url,
  table,
  folder,
}: Extract<ProofDatabase, { kind: 'postgres' }>): Promise<OpenStore> {
  const pool = openPostgres(url, folder);
  const drop = async () => {
    const { rows } = await pool.query(
      "SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS names FROM pg_tables WHERE starts_with(tablename, $1)",
      [table],
    );
    const [{ names }] = rows as [{ names: string | null }];
    if (names !== null) await pool.query(`DROP TABLE IF EXISTS ${names} CASCADE`);
  };
  const remove = () => drop().finally(() => pool.end());
  const store = postgresOrderStore(pool, { table });
  try {
    await store.createTables();
    return { store, remove };
  } catch (error) {
    await remove().catch(() => {});
    throw error;
  }
}
