import type { Command } from 'commander';
import { BillPay, ConfigurationError, isBillPayError } from '../../index.js';
import {
  createOrders,
  type ReconcileFinding,
  type ReconcileOptions,
  type Reconciliation,
} from '../../orders/index.js';
import type { OrderStore } from '../../orders/store.js';
import { isTimeZone } from '../../orders/time-zone.js';
import {
  addDatabaseOptions,
  addressOf,
  type DatabaseOptions,
  databaseError,
  openOrders,
} from '../database.js';
import { envOption, readEnvFile, variable } from '../environment.js';
import {
  anyText,
  CommandError,
  createCommand,
  type ExitCode,
  exitCodes,
  nairaAmount,
  oneOf,
  type Reader,
  valueOption,
  wholeNumber,
} from '../frame.js';
import { type CommandProcess, endSignal, paintFor, showProgress } from '../terminal.js';
import { rangeOf } from './range.js';
import { notEnded, reportLines } from './report.js';
import { columnsOf, readStatementFile } from './statement-file.js';

interface Options extends DatabaseOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timeZone: string;
  readonly statement?: string;
  readonly map?: string;
  readonly words?: string;
  readonly openingBalance?: number;
  readonly closingBalance?: number;
  readonly check?: ReconcileOptions['check'];
  readonly perMinute?: number;
  readonly env?: string;
  readonly json?: true;
}

const zone: Reader<string> = {
  expects: 'a time zone such as Africa/Lagos',
  parse: (text) => (isTimeZone(text) ? text : undefined),
};

/** `billpay reconcile`. */
export const reconcileCommand = (process: CommandProcess): Command =>
  addDatabaseOptions(
    createCommand('reconcile', process)
      .description(
        `Compares the orders of a day with the service and, where it is given, with the wallet's statement, and prints every difference with its remedy. It changes nothing.

BILLPAY_API_KEY, BILLPAY_CLIENT_ID and BILLPAY_BASE_URL are read from the environment.

Exit code: 0 when everything was compared, nothing differs and every order has ended; 1 when something differs or an order has not ended; 2 when the comparison could not be made or did not end.`,
      )
      .addOption(
        valueOption('--from <time>', 'Orders placed from this day or time on (default: yesterday)', anyText),
      )
      .addOption(valueOption('--to <time>', 'Orders placed before this day or time', anyText))
      .addOption(
        valueOption('--time-zone <zone>', 'Of days, and of times that name no zone', zone).default('UTC'),
      ),
  )
    .addOption(valueOption('--statement <file>', "The wallet's statement as CSV; needs --map", anyText))
    .addOption(
      valueOption(
        '--map <columns>',
        'Its columns: reference=Ref,kind=Type,amount=Amount,time=Date and, where there is one, key=Key',
        anyText,
      ),
    )
    .addOption(
      valueOption(
        '--words <words>',
        'The words of its kinds: debit=Sale,credit=Reversal,funding=Deposit,fee=Fee',
        anyText,
      ),
    )
    .addOption(valueOption('--opening-balance <ngn>', 'The balance before its first row', nairaAmount))
    .addOption(valueOption('--closing-balance <ngn>', 'The balance after its last row', nairaAmount))
    .addOption(
      valueOption(
        '--check <which>',
        'Check the status of all orders, only of those that have not ended (open), or of none (default: all)',
        oneOf(['all', 'open', 'none']),
      ),
    )
    .addOption(
      valueOption(
        '--per-minute <n>',
        'Status checks a minute (default: 30, half of what the service allows)',
        wholeNumber(1, 1_000_000),
      ),
    )
    .addOption(envOption())
    .option('--json', 'Print the summary and the findings as one JSON object')
    .action(async (options: Options) => {
      process.exitCode = await run(options, process);
    });

async function run(options: Options, process: CommandProcess): Promise<ExitCode> {
  readEnvFile(options.env, process.env);
  const { timeZone, statement: file, map } = options;
  if ((file === undefined) !== (map === undefined))
    throw new CommandError('--statement and --map go together: the map says which column is what');
  const range = rangeOf(options, timeZone, Date.now());
  const rows =
    file === undefined || map === undefined
      ? undefined
      : readStatementFile(file, columnsOf(map, options.words, timeZone));
  const address = addressOf(options, process.env);
  if (!address)
    throw new CommandError('needs --database-url or --sqlite, or BILLPAY_DATABASE_URL: where the orders are');
  const shop = await openOrders(address, { table: options.table, folder: process.cwd() }).catch(
    (error: unknown) => {
      throw databaseError(error);
    },
  );
  try {
    const books = reconciliation(shop.store, process.env, {
      ...range,
      timeZone,
      statement: rows && {
        rows,
        openingBalance: options.openingBalance,
        closingBalance: options.closingBalance,
      },
      check: options.check,
      checksPerMinute: options.perMinute,
      signal: endSignal(process),
    });
    return await compare(books, options, process);
  } finally {
    await shop.close();
  }
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
  { stdout }: CommandProcess,
): Promise<ExitCode> {
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
    const lines = json
      ? [JSON.stringify({ ...summary, findings })]
      : reportLines(summary, findings, timeZone, paintFor(stdout));
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
