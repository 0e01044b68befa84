import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BillPay } from '../../index.js';
import type { OrderWorker } from '../../orders/index.js';
import {
  createOrders,
  memoryOrderStore,
  type Orders,
  postgresOrderStore,
  sqliteOrderStore,
} from '../../orders/index.js';
import type { OrderStore } from '../../orders/store.js';
import { toNodeHandler, type WebhookHandler } from '../../webhooks/index.js';
import { databaseError, nodeSqlite, openPostgres } from '../database.js';
import { CommandError } from '../frame.js';
import { planOrders } from './plan.js';

/** Where the orders of the proof are stored. */
export type ProofDatabase =
  | { readonly kind: 'memory' }
  /** `folder`: is made for the file. */
  | { readonly kind: 'sqlite'; readonly folder: string }
  /** `folder`: where `pg` is installed. `table`: every table of the proof is named after it. */
  | { readonly kind: 'postgres'; readonly url: string; readonly table: string; readonly folder: string };

/** What the processes of a shop have in common. */
interface ShopSettings {
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
  /** Places every order that is not placed yet, and starts the worker. */
  sell(): Promise<void>;
  /** Stops the worker, closes the database, and removes what was created in it. */
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
  let worker: OrderWorker | undefined;
  return {
    orders,
    receive: orders.webhookHandler({ secret, logger }),
    async sell() {
      for (const { input } of planOrders(settings.orders)) await orders.place(input);
      worker = await orders.start();
    },
    async remove() {
      await worker?.stop();
      await remove();
    },
  };
}

interface OpenStore {
  readonly store: OrderStore<unknown>;
  remove(): Promise<void>;
}

async function openStore(database: ProofDatabase): Promise<OpenStore> {
  if (database.kind === 'memory') return { store: memoryOrderStore(), remove: async () => {} };
  return database.kind === 'sqlite' ? openFile(database) : openTables(database);
}

function openFile({ folder }: Extract<ProofDatabase, { kind: 'sqlite' }>): OpenStore {
  const sqlite = nodeSqlite();
  if (!sqlite) throw new CommandError('node:sqlite needs Node 22.13 or later: give --database-url');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = new sqlite.DatabaseSync(join(folder, 'prove.db'));
  file.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000');
  return {
    store: sqliteOrderStore(file),
    async remove() {
      file.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openTables({
  url,
  table,
  folder,
}: Extract<ProofDatabase, { kind: 'postgres' }>): Promise<OpenStore> {
  const pool = openPostgres(url, folder);
  const store = postgresOrderStore(pool, { table });
  const remove = async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, ${table}_locks`).finally(() => pool.end());
  };
  try {
    await store.createTables();
    return { store, remove };
  } catch (error) {
    await remove().catch(() => {});
    throw error;
  }
}

/** What runs in the process of the shop. */
export interface ShopProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/** A shop that sells in a process of its own, which can be killed and started again on the same database. */
export class ShopProcess {
  readonly #program: ShopProgram;
  readonly #settings: ShopSettings;
  readonly #onListening: (url: string) => void;
  #child: ChildProcess | undefined;

  /** @param onListening - called at each start with the address at which the process receives webhooks. */
  constructor(program: ShopProgram, settings: ShopSettings, onListening: (url: string) => void) {
    this.#program = program;
    this.#settings = settings;
    this.#onListening = onListening;
  }

  start(): void {
    // In a process group of its own: the Ctrl-C that ends the command must not end it first.
    const child = fork(this.#program.file, this.#program.args, { detached: true, stdio: 'ignore' });
    this.#child = child;
    child.once('message', (port) => this.#onListening(`http://127.0.0.1:${port}/`));
    child.on('error', () => {});
    child.send(this.#settings, () => {});
  }

  /** Throws where the process has ended by itself. */
  check(): void {
    const { exitCode = null } = this.#child ?? {};
    if (exitCode !== null)
      throw new CommandError(`the process of the shop ended by itself, with exit code ${exitCode}`);
  }

  /** Kills the process with SIGKILL: nothing in it can clean up. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

/** What the process of a `ShopProcess` does: it sells, and receives webhooks on a port. */
export function runShop(): void {
  process.once('message', async (settings: ShopSettings) => {
    const shop = await openShop(settings);
    // The command was killed before it could remove what it has created.
    const clean = () => shop.remove().finally(() => process.exit());
    if (!process.connected) return clean();
    process.once('disconnect', clean);
    const server = createServer(toNodeHandler(shop.receive)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.send?.((server.address() as AddressInfo).port);
    await shop.sell();
  });
}
