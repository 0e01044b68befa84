import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandCall, commandRunner, type RunCommand } from '../cli/command.js';
import { postgresUrl, wholeNumber } from '../cli/flags.js';
import { CommandError, exitCodes, UsageError } from '../cli/program.js';
import { endSignal, showProgress } from '../cli/terminal.js';
import { hasSqlite, type ProofDatabase } from './database.js';
import { prove } from './prove.js';
import { reportProof } from './report.js';

const mostOrders = 5000;

const flags = {
  orders: {
    value: 'N',
    schema: wholeNumber(20, mostOrders),
    help: `How many orders to buy, 20 to ${mostOrders} (default 200)`,
  },
  'database-url': {
    value: 'URL',
    schema: postgresUrl,
    isSecret: true,
    help: 'A PostgreSQL for the orders; its tables are removed at the end (needs pg here)',
  },
  memory: { help: 'Keep the orders in memory; then no process is killed' },
} as const;

/** The command. `program` is the file of the process that is killed. */
export const proveCommand = (program: URL): RunCommand =>
  commandRunner({
    name: 'prove',
    description: [
      'Proves on this machine that every order is charged at most once and ends once: starts a sandbox, buys orders through lost responses, cut bodies, 429s and 503s, kills the process of the shop right after debits, and compares the books of both sides. Nothing leaves this machine.',
      'The orders are in a temporary SQLite file where this Node has node:sqlite (22.13 or later), and in memory elsewhere.',
    ],
    flags,
    exit: { done: 'nothing differs', failed: 'something does' },
    run: (call) => run(call, program),
  });

async function run({ given, around, paint, print }: CommandCall<typeof flags>, program: URL) {
  const { orders = 200, memory, 'database-url': url } = given;
  if (memory && url !== undefined)
    throw new UsageError('--memory does not go with --database-url: leave one of them out');
  const folder = mkdtempSync(join(tmpdir(), 'billpay-prove-'));
  const database = (): ProofDatabase => {
    if (url !== undefined) {
      const table = `billpay_prove_${randomBytes(4).toString('hex')}`;
      return { kind: 'postgres', url, table, folder: around.cwd() };
    }
    return memory || !hasSqlite() ? { kind: 'memory' } : { kind: 'sqlite', path: join(folder, 'prove.db') };
  };
  try {
    const proof = await prove({
      orders,
      database: database(),
      program,
      // A minute for 200 orders.
      timeout: 55_000 + orders * 100,
      signal: endSignal(around),
      onProgress: ({ ended, kills }) =>
        showProgress(around.stdout, `${ended} of ${orders} orders have ended, ${kills} kills`),
    }).catch((error: unknown) => {
      throw new CommandError(exitCodes.failed, error instanceof Error ? error.message : String(error));
    });
    showProgress(around.stdout);
    print(...reportProof(proof, paint));
    return proof.differences.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
