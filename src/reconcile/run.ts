import { type CommandCall, commandRunner } from '../cli/command.js';
import { readEnvFile } from '../cli/env-file.js';
import { anyText, naira, readText, textThat, urlOf, wholeNumber, wordOf } from '../cli/flags.js';
import { CommandError, exitCodes, UsageError } from '../cli/program.js';
import { endSignal, showProgress } from '../cli/terminal.js';
import { BillPay, ConfigurationError, isBillPayError } from '../index.js';
import { createOrders, type ReconcileOptions, type ReconcileReport } from '../orders/index.js';
import type { OrderStore } from '../orders/store.js';
import { isTimeZone } from '../orders/time-zone.js';
import { readProperty } from '../utils/read-property.js';
import { checkpointFile } from './checkpoint-file.js';
import { databaseError, databaseSchemes, openShop } from './database.js';
import { rangeOf } from './range.js';
import { reportLines } from './report.js';
import { columnsOf, readStatementFile } from './statement-file.js';

const flags = {
  from: {
    value: 'TIME',
    schema: anyText,
    help: 'Orders placed from this day or time on (default: yesterday)',
  },
  to: { value: 'TIME', schema: anyText, help: 'Orders placed before this day or time' },
  'time-zone': {
    value: 'ZONE',
    schema: textThat(isTimeZone, 'must be a time zone such as Africa/Lagos'),
    help: 'Of days, and of times that name no zone (default UTC)',
  },
  'database-url': {
    value: 'URL',
    schema: urlOf(
      databaseSchemes,
      'the address of a PostgreSQL or a MySQL such as postgres://user@localhost/shop',
    ),
    isSecret: true,
    help: 'The database of the orders (default: $BILLPAY_DATABASE_URL; needs pg or mysql2 here)',
  },
  sqlite: {
    value: 'FILE',
    schema: anyText,
    help: 'The SQLite file of the orders (needs Node 22.13, or better-sqlite3 here)',
  },
  table: { value: 'NAME', schema: anyText, help: 'The table of the orders (default billpay_orders)' },
  statement: { value: 'FILE', schema: anyText, help: "The wallet's statement as CSV; needs --map" },
  map: {
    value: 'COLUMNS',
    schema: anyText,
    help: 'Its columns: reference=Ref,kind=Type,amount=Amount,time=Date and, where there is one, key=Key',
  },
  words: {
    value: 'WORDS',
    schema: anyText,
    help: 'The words of its kinds: debit=Sale|Purchase,credit=Reversal,other=Funding',
  },
  'opening-balance': { value: 'NGN', schema: naira, help: 'The balance before its first row' },
  'closing-balance': { value: 'NGN', schema: naira, help: 'The balance after its last row' },
  'look-up': {
    value: 'WHICH',
    schema: wordOf(['all', 'open', 'none']),
    help: 'Look up all orders, only those that have not ended (open), or none (default all)',
  },
  'per-minute': {
    value: 'N',
    schema: wholeNumber(1, 1_000_000),
    help: 'Lookups a minute (default 30, half of what the service allows)',
  },
  checkpoint: {
    value: 'FILE',
    schema: anyText,
    help: 'Keep in this file how far it is; the same command continues from it',
  },
  env: { value: 'FILE', schema: anyText, help: 'Read environment variables from this file first' },
  json: { help: 'Print the report as one JSON object' },
} as const;

export const runCommand = commandRunner({
  name: 'reconcile',
  description: [
    "Compares the orders of a day with the service and, where it is given, with the wallet's statement, and prints every difference with its remedy. It changes nothing: to settle what it finds, call orders.reconcile({ apply: true }) in your shop, where your hooks are.",
    'BILLPAY_API_KEY, BILLPAY_CLIENT_ID and BILLPAY_BASE_URL are read from the environment.',
  ],
  flags,
  exit: { done: 'nothing differs', failed: 'something does or the comparison did not end' },
  run,
});

async function run({ given, around, paint, print }: CommandCall<typeof flags>): Promise<boolean> {
  readEnvFile(given.env);
  const { 'time-zone': timeZone = 'UTC', statement: file, map } = given;
  if ((file === undefined) !== (map === undefined))
    throw new UsageError('--statement and --map go together: the map says which column is what');
  const range = rangeOf(given, timeZone, Date.now());
  const columns = map === undefined ? undefined : columnsOf(map, given.words, timeZone);
  const checkpoint = checkpointFile(given.checkpoint);
  const shop = await openShop({
    url: given['database-url'] ?? databaseUrlOf(given.sqlite, around.env),
    sqlite: given.sqlite,
    table: given.table,
    folder: around.cwd(),
  });
  try {
    const report = await compare(shop.store, around.env, {
      ...range,
      timeZone,
      statement:
        file === undefined || columns === undefined
          ? undefined
          : {
              rows: readStatementFile(file, columns),
              openingBalance: given['opening-balance'],
              closingBalance: given['closing-balance'],
            },
      lookUp: given['look-up'],
      lookUpsPerMinute: given['per-minute'],
      checkpoint: checkpoint.read(),
      onCheckpoint: (text) => checkpoint.write(text),
      onProgress: ({ orders, lookedUp, findings, placedAt }) => {
        const at = placedAt?.toISOString().slice(0, 16).replace('T', ' ') ?? '';
        const down = at && ` down to ${at} UTC`;
        showProgress(
          around.stdout,
          `${orders} orders compared${down}, ${lookedUp} lookups, ${findings} differences`,
        );
      },
      signal: endSignal(around),
    }).finally(() => showProgress(around.stdout));
    if (report.complete) checkpoint.remove();
    else if (report.checkpoint !== undefined) checkpoint.write(report.checkpoint);
    if (given.json) print(JSON.stringify({ ...report, checkpoint: undefined }));
    else print(...reportLines(report, timeZone, paint));
    if (report.complete) return report.findings.length === 0;
    throw new CommandError(
      exitCodes.failed,
      given.checkpoint === undefined
        ? 'was ended; with --checkpoint FILE a later call could continue'
        : 'was ended; run the same command again to continue',
    );
  } finally {
    await shop.close();
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Compares the orders of a store with the service. Nothing is changed: the hooks of the shop are not here. */
async function compare(
  store: OrderStore<unknown>,
  env: Environment,
  options: ReconcileOptions,
): Promise<ReconcileReport> {
  const billpay = new BillPay({
    apiKey: env['BILLPAY_API_KEY'],
    clientId: env['BILLPAY_CLIENT_ID'],
    baseUrl: env['BILLPAY_BASE_URL'],
    // Everything that goes wrong is in the report, or ends the command.
    logLevel: 'off',
  });
  if (options.lookUp !== 'none') billpay.checkConfiguration();
  try {
    return await createOrders({ billpay, store }).reconcile(options);
  } catch (error) {
    // The checkpoint could not be written, or an option is wrong.
    if (error instanceof ConfigurationError || readProperty(error, 'path') !== undefined) throw error;
    throw isBillPayError(error) ? new CommandError(exitCodes.failed, error.message) : databaseError(error);
  }
}

/** The address in the environment, where no SQLite file was named. */
function databaseUrlOf(
  sqlite: string | undefined,
  { BILLPAY_DATABASE_URL: url }: Environment,
): string | undefined {
  if (sqlite !== undefined || url === undefined) return undefined;
  return readText('BILLPAY_DATABASE_URL', flags['database-url'], url);
}
