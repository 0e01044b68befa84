import { setTimeout as delay } from 'node:timers/promises';
import type { ReconcileSummary } from '../../orders/index.js';
import { createSandbox, type Sandbox } from '../../sandbox/index.js';
import { CommandError } from '../frame.js';
import { faultsOf, type PlannedOrder, planOrders } from './plan.js';
import { openShop, type ProofDatabase, type Shop } from './shop.js';
import { ShopChild, type ShopProgram } from './shop-child.js';

/** What to prove, and on what. */
export interface ProofOptions {
  readonly orders: number;
  readonly database: ProofDatabase;
  /** The process that is killed. */
  readonly program: ShopProgram;
  /** ms after which orders that have not ended count as differences. */
  readonly timeout: number;
  /** Ends the proof without a result; what it has created is removed all the same. */
  readonly signal?: AbortSignal;
  /** Called several times a second with how far the proof is. */
  onProgress(progress: { readonly ended: number; readonly kills: number }): void;
}

/** What happened, and what the comparison says. */
export interface Proof {
  readonly plan: readonly PlannedOrder[];
  readonly kind: ProofDatabase['kind'];
  readonly kills: number;
  readonly durationMs: number;
  readonly summary: ReconcileSummary;
  /** Debits and refunds of the wallet. */
  readonly wallet: { readonly debits: number; readonly refunds: number; readonly balance: number };
  /** A sentence for each difference between the shop and the service. */
  readonly differences: readonly string[];
}

const funded = 100_000_000;
const killsPlanned = 6;
const hourMs = 3_600_000;

/**
 * Buys orders through a bad network from a sandbox of its own, kills the shop's process right after debits whose response it has not
 * seen, and compares both sides with `orders.reconcile`. Orders in memory would end with their process, so there no process is killed.
 */
export async function prove(options: ProofOptions): Promise<Proof> {
  const { database, program, signal } = options;
  const startedAt = Date.now();
  const plan = planOrders(options.orders);
  const sandbox = createSandbox({ balance: funded, settleAfter: 400, references: 'unique' });
  let shop: Shop | undefined;
  let child: ShopChild | undefined;
  const watch = killAfterDebits(sandbox, plan.length, () => child);
  try {
    const { baseUrl } = await sandbox.listen();
    const { clientId, secretKey: apiKey } = sandbox.credentials;
    const { secret: webhookSecret } = sandbox.webhooks.subscribe({
      handler: async (request) =>
        (await (child ?? shop)?.receive(request)) ?? new Response(undefined, { status: 503 }),
    });
    for (const fault of faultsOf(plan)) sandbox.faults.add(fault);
    const settings = { database, orders: plan.length, baseUrl, clientId, apiKey, webhookSecret };
    shop = await openShop(settings);
    if (database.kind !== 'memory') {
      child = new ShopChild(program, settings);
      child.start();
    }
    const worker = child ? undefined : await shop.sell();
    await untilEnded(shop, options, watch, () => child?.check());
    await watch.stop();
    await child?.kill();
    await worker?.stop();
    const durationMs = Date.now() - startedAt;
    const compared = await compare(shop, sandbox, plan, startedAt, signal);
    if (signal?.aborted) throw new CommandError('was ended before the books could be compared');
    return { plan, kind: database.kind, kills: watch.kills(), durationMs, ...compared };
  } finally {
    await watch.stop();
    await child?.kill();
    await shop?.remove().catch(() => {});
    await sandbox.close();
  }
}

/** Waits until every order has ended. */
async function untilEnded(
  { orders }: Shop,
  { orders: planned, timeout, signal, onProgress }: ProofOptions,
  { kills }: { kills(): number },
  check: () => void,
): Promise<void> {
  const deadline = performance.now() + timeout;
  for (let ended = 0; ended < planned && performance.now() < deadline && !signal?.aborted; ) {
    await delay(100);
    check();
    const { count } = await orders.stats();
    ended = count.delivered + count.failed + count.refused;
    onProgress({ ended, kills: kills() });
  }
}

/** Kills the process whenever a further part of the orders was debited, before it can have stored the response. */
function killAfterDebits(sandbox: Sandbox, orders: number, childOf: () => ShopChild | undefined) {
  let kills = 0;
  let debits = 0;
  let work = Promise.resolve();
  const stopListening = sandbox.onActivity((activity) => {
    const child = childOf();
    if (!child || activity.type !== 'transaction' || activity.change !== 'accepted') return;
    debits++;
    if (kills >= killsPlanned || debits < ((kills + 1) * orders) / (killsPlanned + 2)) return;
    kills++;
    work = work.then(() => child.kill()).then(() => child.start());
  });
  return {
    kills: () => kills,
    async stop() {
      stopListening();
      await work;
    },
  };
}

/** Compares the orders of the shop with the transactions and the wallet's statement of the sandbox. */
export async function compare(
  { orders }: Shop,
  sandbox: Sandbox,
  plan: readonly PlannedOrder[],
  startedAt: number,
  signal?: AbortSignal,
): Promise<Pick<Proof, 'summary' | 'wallet' | 'differences'>> {
  const { ledger, balance } = sandbox.wallet();
  const kinds = { debit: 'debit', refund: 'credit', funding: 'other' } as const;
  const [from, to] = [new Date(startedAt - hourMs), new Date(Date.now() + hourMs)];
  const rows = ledger.map(({ kind, reference, idempotency_key: key, amount, at: time }) => {
    return { kind: kinds[kind], reference, key, amount, time };
  });
  const comparison = orders.reconcile({
    from,
    to,
    statement: { rows, from, to, openingBalance: 0, closingBalance: balance },
    checksPerMinute: 1_000_000,
    signal,
  });
  const findings: string[] = [];
  for await (const { id, reference, message, stored, found } of comparison) {
    const values = [stored !== undefined && `stored ${stored}`, found !== undefined && `found ${found}`];
    const about = id ?? reference ?? 'the wallet';
    findings.push([`${about}: ${message}`, ...values.filter(Boolean)].join(' '));
  }
  const summary = comparison.summary();
  const countOf = (kind: string) => ledger.filter((entry) => entry.kind === kind).length;
  return {
    summary,
    wallet: { debits: countOf('debit'), refunds: countOf('refund'), balance },
    differences: [...sandbox.audit().problems, ...findings, ...endDifferences(plan, summary)],
  };
}

/** Each order must have ended as it was planned; the comparison has shown that it ended as its transaction did. */
function endDifferences(plan: readonly PlannedOrder[], { states }: ReconcileSummary): string[] {
  return (['delivered', 'failed'] as const).flatMap((state) => {
    const planned = plan.filter(({ end }) => end === state).length;
    return states[state] === planned ? [] : [`${states[state]} orders are ${state}; expected ${planned}`];
  });
}
