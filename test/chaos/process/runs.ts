import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { bundleProgram } from '../../support/bundle-program.js';
import { killRepeatedly, Member } from '../../support/killing.js';
import type { Ending } from '../proxy/faults.js';
import { FaultyProxy } from '../proxy/proxy.js';
import { Journal } from './journal.js';
import { ledgerProblems } from './ledger.js';

export interface RunOptions {
  /** How many kills, or freezes. */
  readonly times: number;
  readonly seed: number;
  readonly transport: string;
}

export interface Report {
  readonly orders: number;
  readonly problems: readonly string[];
  /** What else the run counted. */
  readonly count: number;
}

/** The keep-alive time-out of the proxy before the service, in ms. */
const keepAliveMs = 150;

/** A buyer with a journal, what disturbs it, and then its last life, in which it finishes what it has begun. Its orders are compared with the ledger. */
async function buyerRun(
  { seed, transport }: RunOptions,
  timeout: number,
  idle: { ms: number; how: Ending } | undefined,
  disturb: (buyer: Member, sandbox: Sandbox, journal: string, proxy: FaultyProxy) => Promise<number>,
): Promise<Report> {
  const { folder, program, remove } = await bundleProgram(new URL('buyer.ts', import.meta.url));
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e9, seed: String(seed) });
  // The debit comes at once and the response a little later, so most signals meet a purchase under way.
  sandbox.faults.add({ when: 'after', delay: 8, times: 'always' });
  const { port, connection } = await sandbox.listen();
  const proxy = await FaultyProxy.start({ targetPort: port, ...(idle && { idle }) });
  const journal = join(folder, 'journal');
  const throughProxy = { ...connection, baseUrl: `http://127.0.0.1:${proxy.port}/api/v1` };
  const settings = { connection: throughProxy, journal, lanes: 4, transport };
  const buyerOf = (more: object) => new Member(program, { BUYER: JSON.stringify({ ...settings, ...more }) });
  const buyer = buyerOf({ orders: 1e6, timeout });
  try {
    await buyer.start();
    const count = await disturb(buyer, sandbox, journal, proxy);
    await buyer.kill();
    const orders = new Journal(journal).entries.size;
    const last = buyerOf({ orders, timeout: 10_000 });
    await last.start();
    while (last.isRunning) await delay(20);
    const problems = ledgerProblems(sandbox, new Journal(journal), orders);
    if (!last.done) problems.push('the last process ended before it was done');
    return { orders, problems, count };
  } finally {
    await buyer.kill();
    await proxy.close();
    await sandbox.close();
    await remove();
  }
}

/** Resolves when the buyer has sold so many more. */
async function sold(buyer: Member, { transactions }: Sandbox, more: number): Promise<void> {
  const before = transactions.length;
  while (transactions.length < before + more) {
    if (!buyer.isRunning) throw new Error('the buyer ended by itself');
    await delay(5);
  }
}

/** Kills a buyer at random moments. Counts the kills between the debit of a purchase and the storing of its response in the journal. */
export const killRun = (options: RunOptions): Promise<Report> =>
  buyerRun(options, 10_000, undefined, async (buyer, sandbox, journal) => {
    let leftOpen = 0;
    const kill = async () => {
      await buyer.kill();
      const open = [...new Journal(journal).entries.values()].filter(({ reference }) => !reference);
      const charged = new Set(sandbox.transactions.map(({ idempotency_key }) => idempotency_key));
      if (open.some(({ key }) => charged.has(key))) leftOpen += 1;
    };
    await killRepeatedly([{ start: () => buyer.start(), kill }], {
      seed: options.seed,
      kills: options.times,
      living: [0, 150],
      before: () => sold(buyer, sandbox, 1),
    });
    return leftOpen;
  });

/** Stops a buyer for longer than its connections are kept: some freezes are longer than an attempt's time-out, some are shorter. Counts connections. */
export const freezeRun = (options: RunOptions, how: Ending): Promise<Report> =>
  buyerRun(options, 2 * keepAliveMs, { ms: keepAliveMs, how }, async (buyer, sandbox, _journal, proxy) => {
    const frozen = {
      kill: async () => buyer.signal('SIGSTOP'),
      start: async () => buyer.signal('SIGCONT'),
    };
    await killRepeatedly([frozen], {
      seed: options.seed,
      kills: options.times,
      living: [0, 15],
      dead: [keepAliveMs + 30, 3 * keepAliveMs],
      before: () => sold(buyer, sandbox, 8),
    });
    return proxy.connections;
  });
