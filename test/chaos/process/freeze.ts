import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox } from '../../../src/sandbox/index.js';
import { bundleProgram } from '../../support/bundle-program.js';
import { Program } from '../../support/program.js';
import { Random } from '../../support/random.js';
import type { Ending } from '../proxy/faults.js';
import { FaultyProxy } from '../proxy/proxy.js';
import { Journal } from './journal.js';
import { ledgerProblems } from './ledger.js';

export interface FreezeOptions {
  readonly freezes: number;
  readonly seed: string;
  readonly transport: string;
  /** How idle connections end. */
  readonly how: Ending;
}

export interface FreezeReport {
  readonly freezes: number;
  readonly orders: number;
  readonly connections: number;
  readonly problems: readonly string[];
}

/** The keep-alive time-out of the proxy before the service, in ms. */
const keepAliveMs = 150;

/** Stops a buying process repeatedly for longer than its connections are kept, then lets it finish. */
export async function freezeRun({ freezes, seed, transport, how }: FreezeOptions): Promise<FreezeReport> {
  const { folder, program, remove } = await bundleProgram(new URL('buyer.ts', import.meta.url));
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e9, seed });
  const random = new Random(`${seed} freezes`);
  sandbox.faults.add({ when: 'after', delay: 5, times: 'always' });
  const { port, connection } = await sandbox.listen();
  const proxy = await FaultyProxy.start({ targetPort: port, idle: { ms: keepAliveMs, how } });
  const journal = join(folder, 'journal');
  const throughProxy = { ...connection, baseUrl: `http://127.0.0.1:${proxy.port}/api/v1` };
  // Some freezes are longer than an attempt's time-out, some are shorter.
  const settings = { connection: throughProxy, journal, lanes: 4, timeout: 2 * keepAliveMs, transport };
  const start = (more: object) =>
    new Program(process.execPath, [program], { env: { BUYER: JSON.stringify({ ...settings, ...more }) } });
  try {
    const buyer = start({ orders: 1e6 });
    for (let freeze = 0; freeze < freezes; freeze++) {
      const before = sandbox.transactions.length;
      while (sandbox.transactions.length < before + 8 && buyer.isRunning) await delay(5);
      if (!buyer.isRunning) throw new Error(`the buyer ended by itself: ${buyer.printed}`);
      await delay(random.int(0, 15));
      buyer.signal('SIGSTOP');
      await delay(keepAliveMs + random.int(30, 2 * keepAliveMs));
      buyer.signal('SIGCONT');
    }
    await buyer.end();
    const orders = new Journal(journal).entries.size;
    const last = start({ timeout: 10_000, orders });
    const code = await last.ended;
    const problems = ledgerProblems(sandbox, new Journal(journal), orders);
    if (code !== 0) problems.push(`the last process ended with ${code}: ${last.printed}`);
    return { freezes, orders, connections: proxy.connections, problems };
  } finally {
    await proxy.close();
    await sandbox.close();
    await remove();
  }
}
