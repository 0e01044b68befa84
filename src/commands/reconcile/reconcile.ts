import { type Command, InvalidArgumentError, Option } from 'commander';
import { BillPay, ConfigurationError, isBillPayError } from '../../index.js';
import {
  createOrders,
  type ReconcileFinding,
  type ReconcileOptions,
  type Reconciliation,
} from '../../orders/index.js';
import type { OrderStore } from '../../orders/store.js';
import { isTimeZone, readMoment, startOfDay, timeZoneOf } from '../../orders/time-zone.js';
import {
  addDatabaseOptions,
  addressOf,
  type DatabaseOptions,
  databaseError,
  openOrders,
} from '../database.js';
import {
  CommandError,
  createCommand,
  type ExitCode,
  envOption,
  exitCodes,
  nairaAmount,
  readEnvFile,
  variable,
  wholeNumber,
} from '../frame.js';
import { notEnded, reportLines } from '../report.js';
import { type CommandProcess, endSignal, showProgress } from '../terminal.js';
import { readStatementFile, type StatementFlags } from './statement-file.js';

interface Options extends DatabaseOptions, StatementFlags {
  readonly from?: string;
  readonly to?: string;
  readonly check?: ReconcileOptions['check'];
  readonly perMinute?: number;
  readonly env?: string;
  readonly json?: true;
}

function readTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError('It must be a time zone such as Africa/Lagos.');
}

/** `billpay reconcile`. */
export const reconcileCommand = (process: CommandProcess): Command =>
  addDatabaseOptions(
    createCommand('reconcile', process)
      .description(
        `Compares the orders of a day with the service and, where it is given, with the wallet's statement, and prints every difference with its remedy. It changes nothing.

BILLPAY_API_KEY, BILLPAY_CLIENT_ID and BILLPAY_BASE_URL are read from the environment.

Exit code: 0 when everything was compared, nothing differs and every order has ended; 1 when something differs or an order has not ended; 2 when the comparison could not be made or did not end.`,
      )
      .option('--from <time>', 'Orders placed from this day or time on (default: yesterday)')
      .option('--to <time>', 'Orders placed before this day or time')
      .option('--time-zone <zone>', 'Of days, and of times that name no zone', readTimeZone, 'UTC'),
  )
    .option('--statement <file>', "The wallet's statement as CSV; needs --map")
    .option(
      '--map <columns>',
      'Its columns: reference=Ref,kind=Type,amount=Amount,time=Date and, where there is one, key=Key',
    )
    .option('--words <words>', 'The words of its kinds, such as debit=Purchase,credit=Reversal,fee=Fee')
    .option('--opening-balance <ngn>', 'The balance before its first row', nairaAmount)
    .option('--closing-balance <ngn>', 'The balance after its last row', nairaAmount)
    .addOption(
      new Option(
        '--check <which>',
        'Check the status of all orders, of those that have not ended, or of none (default: all)',
      ).choices(['all', 'open', 'none']),
    )
    .option(
      '--per-minute <n>',
      'Status checks a minute (default: 30, half of what the service allows)',
      wholeNumber(1, 1_000_000),
    )
    .addOption(envOption())
    .option('--json', 'Print the summary and all findings as one JSON object')
    .action(async (options: Options) => {
      process.exitCode = await run(options, process);
    });

async function run(options: Options, process: CommandProcess): Promise<ExitCode> {
  readEnvFile(options.env, process.env);
  const { timeZone, table } = options;
  const range = rangeOf(options);
  const statement = readStatementFile(options);
  const address = addressOf(options, process.env);
  if (!address)
    throw new CommandError('needs --database-url or --sqlite, or BILLPAY_DATABASE_URL: where the orders are');
  const shop = await openOrders(address, { table, folder: process.cwd() });
  try {
    const books = reconciliation(shop.store, process.env, {
      ...range,
      timeZone,
      statement,
      check: options.check,
      checksPerMinute: options.perMinute,
      signal: endSignal(process),
    });
    return await compare(books, options, process);
  } finally {
    await shop.close();
  }
}

/** The range of `--from` and `--to`; without both, the whole of yesterday in the time zone. */
function rangeOf({ from, to, timeZone }: Options): { readonly from: Date; readonly to: Date } {
  if (from === undefined && to === undefined) {
    const today = startOfDay(Date.now(), timeZone);
    return { from: new Date(startOfDay(today - 1, timeZone)), to: new Date(today) };
  }
  if (from === undefined || to === undefined)
    throw new CommandError('--from and --to go together: give both, or none for yesterday');
  const read = (flag: string, text: string): Date => {
    const moment = readMoment(text, timeZoneOf(timeZone));
    if (!Number.isNaN(moment.getTime())) return moment;
    throw new CommandError(
      `${flag} must be a day such as 2026-01-31 or a time such as 2026-01-31T12:00, not ${text}`,
    );
  };
  return { from: read('--from', from), to: read('--to', to) };
}

function reconciliation(
  store: OrderStore<unknown>,
  env: CommandProcess['env'],
  options: ReconcileOptions,
): Reconciliation {
  const billpay = new BillPay({
    apiKey: variable(env, 'BILLPAY_API_KEY'),
    clientId: variable(env, 'BILLPAY_CLIENT_ID'),
    baseUrl: variable(env, 'BILLPAY_BASE_URL'),
    // Everything that goes wrong is a finding, or ends the command.
    logLevel: 'off',
  });
  if (options.check !== 'none') billpay.checkConfiguration();
  return createOrders({ billpay, store }).reconcile(options);
}

/** Prints what is found, and what was compared, also where the comparison does not end. */
async function compare(
  books: Reconciliation,
  { json, timeZone }: Options,
  process: CommandProcess,
): Promise<ExitCode> {
  const { stdout } = process;
  const findings: ReconcileFinding[] = [];
  const tell = () => {
    const { orders, checked, found } = books.summary();
    showProgress(stdout, `${orders} orders compared, ${checked} status checks, ${found} differences`);
  };
  const telling = setInterval(tell, 250);
  let failure: unknown;
  try {
    for await (const finding of books) {
      findings.push(finding);
      tell();
    }
  } catch (error) {
    failure = error;
  } finally {
    clearInterval(telling);
    showProgress(stdout);
  }
  const summary = books.summary();
  if (failure === undefined || summary.orders > 0) {
    const time = (at: Date) =>
      at.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    const lines = json
      ? [JSON.stringify({ ...summary, findings })]
      : [
          `Orders placed from ${time(summary.from)} to ${time(summary.to)}, ${timeZone}`,
          '',
          ...reportLines(summary, findings, process),
        ];
    for (const line of lines) stdout.write(`${line}\n`);
  }
  if (failure !== undefined) throw problemOf(failure);
  if (!summary.complete) throw new CommandError('was ended before everything was compared: run it again');
  return findings.length === 0 && notEnded(summary) === 0 ? exitCodes.done : exitCodes.failed;
}

function problemOf(error: unknown): unknown {
  if (error instanceof ConfigurationError) return error;
  return isBillPayError(error) ? new CommandError(error.message) : databaseError(error);
}
