import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrapped } from '../../cli/columns.js';
import { flagLines, parseFlags, postgresUrl, takeArguments, wholeNumber } from '../../cli/flags.js';
import { CommandError, exitCodes, runProgram, UsageError } from '../../cli/program.js';
import { type CommandProcess, paintFor } from '../../cli/terminal.js';
import { version } from '../../version.js';
import { hasSqlite, type ProofDatabase } from '../database.js';
import { type ProofProgress, prove } from '../prove.js';
import { reportProof } from '../report.js';

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
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
} as const;

const helpText = (): string =>
  [
    'Usage: billpay prove [flags]',
    '',
    ...wrapped(
      'Proves on this machine that every order is charged at most once and ends once: starts a sandbox, buys orders through lost responses, cut bodies, 429s and 503s, kills the process of the shop right after debits, and compares the books of both sides. Nothing leaves this machine.',
    ),
    '',
    ...wrapped(
      'The orders are in a temporary SQLite file where this Node has node:sqlite (22.13 or later), and in memory elsewhere.',
    ),
    '',
    ...flagLines(flags),
    '',
    'Exit code: 0 when nothing differs, 1 when something does, 2 for a wrong command line.',
  ].join('\n');

/** What the command needs of its process. */
export interface ProveProcess extends Pick<CommandProcess, 'env' | 'stdout' | 'stderr'> {
  cwd(): string;
}

/** ms until orders that have not ended count as differences: a minute for 200 orders. */
const timeoutFor = (orders: number): number => 55_000 + orders * 100;

/** Runs the command to its end; resolves to its exit code. */
export const runCommand = (
  args: readonly string[],
  around: ProveProcess,
  program = new URL('./shop-process.js', import.meta.url),
): Promise<number> => runProgram('billpay prove', () => run(args, around, program), around);

async function run(args: readonly string[], around: ProveProcess, program: URL): Promise<number> {
  const parsed = parseFlags(args, flags);
  const { given } = parsed;
  const print = (text: string) => void around.stdout.write(`${text}\n`);
  if (given.help || given.version) {
    print(given.help ? helpText() : version);
    return exitCodes.done;
  }
  takeArguments(parsed);
  if (given.memory && given['database-url'] !== undefined)
    throw new UsageError('--memory does not go with --database-url: leave one of them out');
  const folder = mkdtempSync(join(tmpdir(), 'billpay-prove-'));
  try {
    const database = databaseOf(given, folder, around.cwd());
    const { orders = 200 } = given;
    const proof = await prove({
      orders,
      database,
      program,
      timeout: timeoutFor(orders),
      onProgress: showProgress(around),
    }).catch((error: unknown) => {
      throw new CommandError(exitCodes.failed, error instanceof Error ? error.message : String(error));
    });
    clearProgress(around);
    print(reportProof(proof, database.kind, paintFor(around)));
    return proof.books.differences.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function databaseOf(
  given: { readonly memory?: true; readonly 'database-url'?: string },
  folder: string,
  cwd: string,
): ProofDatabase {
  const url = given['database-url'];
  if (url !== undefined) {
    return { kind: 'postgres', url, table: `billpay_prove_${randomBytes(4).toString('hex')}`, folder: cwd };
  }
  return given.memory || !hasSqlite()
    ? { kind: 'memory' }
    : { kind: 'sqlite', path: join(folder, 'prove.db') };
}

/** One line that is written over and over, on a terminal only. */
const showProgress =
  ({ stdout }: ProveProcess) =>
  ({ ended, orders, kills }: ProofProgress): void => {
    if (stdout.isTTY) stdout.write(`\r${ended} of ${orders} orders have ended, ${kills} kills `);
  };

function clearProgress({ stdout }: ProveProcess): void {
  if (stdout.isTTY) stdout.write('\r\u001b[K');
}
