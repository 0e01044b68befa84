import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox, type Sandbox } from '../sandbox/index.js';
import { type Books, differencesIn } from './books.js';
import type { ProofDatabase } from './database.js';
import { countTroubles, type PlannedOrder, planOrders } from './plan.js';
import { openRemoteShop, type RemoteShop } from './remote-shop.js';
import { openShop, type Shop } from './shop.js';

/** What to prove, and on what. */
export interface ProofOptions {
  readonly orders: number;
  readonly database: ProofDatabase;
  /** The file of the process that is killed. */
  readonly program: URL;
  /** ms after which orders that have not ended count as differences. */
  readonly timeout: number;
  /** Ends the proof without a result; what it has created is removed all the same. */
  readonly signal?: AbortSignal;
  /** Called several times a second with how far the proof is. */
  onProgress(progress: { readonly ended: number; readonly kills: number }): void;
}

/** What happened, and what the books say. */
export interface Proof {
  readonly books: Books;
  /** A sentence for each difference between the books of both sides. */
  readonly differences: readonly string[];
  readonly kind: ProofDatabase['kind'];
  /** How often each trouble was caused, by its name. */
  readonly troubles: ReadonlyMap<string, number>;
  readonly kills: number;
  /** Decisions about orders in review: an order that was in doubt is refused by a person only. */
  readonly reviewed: number;
  readonly durationMs: number;
}

const funded = 100_000_000;
const killsPlanned = 6;

/**
 * Buys orders through a bad network from a sandbox of its own, kills the shop's process right after debits whose response it has not
 * seen, and compares the books of both sides. Orders in memory would end with their process, so there no process is killed.
 */
export async function prove(options: ProofOptions): Promise<Proof> {
  const { orders, database, program, timeout, signal } = options;
  const startedAt = performance.now();
  const plan = planOrders(orders);
  const sandbox = createSandbox({ balance: funded, settleAfter: 400, references: 'unique' });
  let shop: Shop | undefined;
  let reviewed = 0;
  try {
    const { baseUrl } = await sandbox.listen();
    const { clientId, secretKey: apiKey } = sandbox.credentials;
    const { secret: webhookSecret } = sandbox.webhooks.subscribe({
      handler: async (request) => {
        const headers = Object.fromEntries(request.headers);
        const body = await request.text();
        const status = await shop?.receive({ headers, body }).catch(() => 503);
        return new Response(undefined, { status: status ?? 503 });
      },
    });
    const settings = { baseUrl, clientId, apiKey, webhookSecret };
    for (const { input, trouble } of plan) {
      if (trouble) sandbox.faults.add({ ...trouble.fault, recipient: input.params.recipient });
    }
    const remote =
      database.kind === 'memory' ? undefined : await openRemoteShop(program, [database, settings]);
    shop = remote ?? (await openShop(database, settings));
    const kills = remote ? killAfterDebits(sandbox, remote, plan) : noKills;
    await shop.sell(plan).catch(ignoreKilled);
    const deadline = startedAt + timeout;
    for (let ended = 0; ended < orders && performance.now() < deadline && !signal?.aborted; ) {
      await delay(100);
      const chargedKeys = sandbox.transactions.map((transaction) => transaction.idempotency_key);
      reviewed += await shop.review(chargedKeys).catch(() => 0);
      ended = await shop.ended().catch(() => ended);
      options.onProgress({ ended, kills: kills.count });
    }
    await kills.stop();
    if (signal?.aborted) throw new Error('was ended before the books could be compared');
    const books: Books = {
      plan,
      ...(await shop.books(plan)),
      transactions: sandbox.transactions,
      audit: sandbox.audit(),
      balance: sandbox.wallet().balance,
      funded,
    };
    return {
      books,
      differences: differencesIn(books),
      kind: database.kind,
      troubles: countTroubles(plan),
      kills: kills.count,
      reviewed,
      durationMs: performance.now() - startedAt,
    };
  } finally {
    await shop?.remove().catch(ignoreKilled);
    await sandbox.close();
  }
}

const noKills = { count: 0, stop: async () => {} };

/** The shop that is killed while it sells rejects; it is started again, and sells the rest. */
const ignoreKilled = () => {};

/** Kills the process whenever a further part of the orders was debited, before it can have stored the response. */
function killAfterDebits(sandbox: Sandbox, shop: RemoteShop, plan: readonly PlannedOrder[]) {
  let count = 0;
  let debits = 0;
  let work = Promise.resolve();
  const restart = async () => {
    await shop.kill();
    await shop.start();
    await shop.sell(plan);
  };
  const stopListening = sandbox.onActivity((activity) => {
    if (activity.type !== 'transaction' || activity.change !== 'accepted') return;
    debits++;
    if (count >= killsPlanned || debits < ((count + 1) * plan.length) / (killsPlanned + 2)) return;
    count++;
    work = work.then(restart);
  });
  return {
    get count() {
      return count;
    },
    async stop() {
      stopListening();
      await work;
    },
  };
}
