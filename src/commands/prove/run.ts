import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { nodeSqlite } from '../database.js';
import {
  CommandError,
  createCommand,
  type ExitCode,
  exitCodes,
  type Reader,
  valueOption,
  wholeNumber,
} from '../frame.js';
import { type CommandProcess, endSignal, paintFor, showProgress } from '../terminal.js';
import { prove } from './prove.js';
import { reportLines } from './report.js';
import type { ProofDatabase } from './shop.js';
import type { ShopProgram } from './shop-child.js';

interface Options {
  readonly orders: number;
  readonly databaseUrl?: string;
  readonly memory?: true;
}

const postgresUrl: Reader<string> = {
  expects: 'the address of a PostgreSQL such as postgres://user@localhost/shop',
  isSecret: true,
  parse: (text) => (URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol) ? text : undefined),
};

/** The program that runs now, as the process of a shop. */
const ownProgram = (): ShopProgram => ({ file: String(globalThis.process.argv[1]), args: ['prove-shop'] });

export const proveCommand = (process: CommandProcess, program = ownProgram()): Command =>
  createCommand('prove', process)
    .description(
      `Proves on this machine that every order is charged at most once and ends as its transaction does: starts a sandbox, buys orders through lost responses, cut bodies, 429s and 503s, kills the process of the shop right after debits, and compares both sides with orders.reconcile. Nothing leaves this machine.

The orders are in a temporary SQLite file where this Node has node:sqlite (22.13 or later), and in memory elsewhere; then no process is killed.

Exit code: 0 when nothing differs, 1 when something does, 2 when the proof did not come to its end.`,
    )
    .addOption(
      valueOption('--orders <n>', 'How many orders to buy, 20 to 5000', wholeNumber(20, 5000)).default(200),
    )
    .addOption(
      valueOption(
        '--database-url <url>',
        'A PostgreSQL for the orders; its tables are removed at the end (needs pg here)',
        postgresUrl,
      ),
    )
    .option('--memory', 'Keep the orders in memory; then no process is killed')
    .action(async (options: Options) => {
      process.exitCode = await run(options, process, program);
    });

async function run(
  { orders, memory, databaseUrl: url }: Options,
  process: CommandProcess,
  program: ShopProgram,
): Promise<ExitCode> {
  if (memory && url !== undefined)
    throw new CommandError('--memory does not go with --database-url: leave one of them out');
  const { stdout } = process;
  const signal = endSignal(process);
  const folder = mkdtempSync(join(tmpdir(), 'billpay-prove-'));
  const print = (...lines: readonly string[]) => void stdout.write(`${lines.join('\n')}\n`);
  const database = (): ProofDatabase => {
    if (url !== undefined) {
      const table = `billpay_prove_${randomBytes(4).toString('hex')}`;
      return { kind: 'postgres', url, table, folder: process.cwd() };
    }
    if (memory) return { kind: 'memory' };
    if (nodeSqlite()) return { kind: 'sqlite', path: join(folder, 'prove.db') };
    print(
      `Node ${process.versions.node} has no SQLite (22.13 and later have), so the orders are in memory, and no process is killed.`,
      'Run it on a later Node or with --database-url to prove that orders survive kills.',
      '',
    );
    return { kind: 'memory' };
  };
  try {
    const proof = await prove({
      orders,
      database: database(),
      program,
      // A minute for 200 orders.
      timeout: 55_000 + orders * 100,
      signal,
      onProgress: ({ ended, kills }) =>
        showProgress(stdout, `${ended} of ${orders} orders have ended, ${kills} kills`),
    }).finally(() => showProgress(stdout));
    print(...reportLines(proof, paintFor(stdout)));
    return proof.differences.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
