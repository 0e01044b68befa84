import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox } from '../../../src/sandbox/index.js';
import { bundleProgram } from '../../support/bundle-program.js';
import { Program } from '../../support/program.js';
import { Random } from '../../support/random.js';
import { Journal } from './journal.js';
import { ledgerProblems } from './ledger.js';

export interface KillOptions {
  readonly kills: number;
  readonly seed: string;
  readonly transport: string;
}

export interface KillReport {
  readonly kills: number;
  readonly orders: number;
  /** Kills between the debit of a purchase and the storing of its response in the journal. */
  readonly leftOpen: number;
  readonly problems: readonly string[];
}

/** Kills a buying process repeatedly at random moments, then lets it finish. */
export async function killRun({ kills, seed, transport }: KillOptions): Promise<KillReport> {
  const { folder, program, remove } = await bundleProgram(new URL('buyer.ts', import.meta.url));
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e9, seed });
  const random = new Random(`${seed} kills`);
  let onRequest: () => void = () => undefined;
  sandbox.onActivity(({ type }) => {
    if (type === 'request') onRequest();
  });
  // The debit comes at once and the response a little later, so most kills meet a purchase under way.
  sandbox.faults.add({ when: 'after', delay: 8, times: 'always' });
  const { connection } = await sandbox.listen();
  const journal = join(folder, 'journal');
  const settings = { connection, journal, lanes: 4, timeout: 10_000, transport };
  const start = (more: object) =>
    new Program(process.execPath, [program], { env: { BUYER: JSON.stringify({ ...settings, ...more }) } });
  let leftOpen = 0;
  try {
    for (let kill = 0; kill < kills; kill++) {
      const buyer = start({ orders: 1e6 });
      const buying = new Promise<void>((resolve) => {
        onRequest = resolve;
      });
      await Promise.race([buying, buyer.ended]);
      if (!buyer.isRunning) throw new Error(`the buyer ended by itself: ${buyer.printed}`);
      await delay(random.int(0, 150));
      await buyer.end();
      const open = [...new Journal(journal).entries.values()].filter(({ reference }) => !reference);
      if (
        open.some(({ key }) =>
          sandbox.transactions.some((transaction) => transaction.idempotency_key === key),
        )
      )
        leftOpen += 1;
    }
    const orders = new Journal(journal).entries.size;
    const last = start({ orders });
    const code = await last.ended;
    const problems = ledgerProblems(sandbox, new Journal(journal), orders);
    if (code !== 0) problems.push(`the last process ended with ${code}: ${last.printed}`);
    return { kills, orders, leftOpen, problems };
  } finally {
    await sandbox.close();
    await remove();
  }
}
