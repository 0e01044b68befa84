import { wrapped } from '../../cli/columns.js';
import { readEnvFile } from '../../cli/env-file.js';
import {
  anyText,
  flagLines,
  naira,
  parseFlags,
  readText,
  takeArguments,
  textThat,
  urlOf,
  wholeNumber,
  wordOf,
} from '../../cli/flags.js';
import { CommandError, exitCodes, runProgram, UsageError } from '../../cli/program.js';
import { type CommandProcess, paintFor } from '../../cli/terminal.js';
import { isTimeZone } from '../../orders/time-zone.js';
import { version } from '../../version.js';
import { checkpointFile } from '../checkpoint-file.js';
import { databaseSchemes, openShop } from '../database.js';
import { rangeOf } from '../range.js';
import { reconcileShop } from '../reconcile.js';
import { reportLines } from '../report.js';
import { columnsOf } from '../statement-file.js';

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
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
} as const;

const helpText = (): string =>
  [
    'Usage: billpay reconcile [flags]',
    '',
    ...wrapped(
      "Compares the orders of a day with the service and, where it is given, with the wallet's statement, and prints every difference with its remedy. It changes nothing: to settle what it finds, call orders.reconcile({ apply: true }) in your shop, where your hooks are.",
    ),
    '',
    ...wrapped('BILLPAY_API_KEY, BILLPAY_CLIENT_ID and BILLPAY_BASE_URL are read from the environment.'),
    '',
    ...flagLines(flags),
    '',
    ...wrapped(
      'Exit code: 0 when nothing differs, 1 when something does or the comparison did not end, 2 for a wrong command line.',
    ),
  ].join('\n');

/** What the command needs of its process. */
export interface ReconcileProcess extends CommandProcess {
  cwd(): string;
}

/** Runs the command to its end; resolves to its exit code. */
export const runCommand = (args: readonly string[], around: ReconcileProcess): Promise<number> =>
  runProgram('billpay reconcile', () => run(args, around), around);

async function run(args: readonly string[], around: ReconcileProcess): Promise<number> {
  const parsed = parseFlags(args, flags);
  const { given } = parsed;
  const print = (text: string) => void around.stdout.write(`${text}\n`);
  if (given.help || given.version) {
    print(given.help ? helpText() : version);
    return exitCodes.done;
  }
  takeArguments(parsed);
  readEnvFile(given.env);
  const { 'time-zone': timeZone = 'UTC', statement, map } = given;
  if ((statement === undefined) !== (map === undefined))
    throw new UsageError('--statement and --map go together: the map says which column is what');
  const range = rangeOf(given, timeZone, Date.now());
  const columns = map === undefined ? undefined : columnsOf(map, given.words, timeZone);
  const checkpoint = checkpointFile(given.checkpoint);
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) around.once(signal, () => ended.abort());
  const shop = await openShop({
    url: given['database-url'] ?? databaseUrlOf(given.sqlite, around),
    sqlite: given.sqlite,
    table: given.table,
    folder: around.cwd(),
  });
  try {
    const report = await reconcileShop(shop.store, around.env, {
      ...range,
      timeZone,
      statement:
        statement === undefined || columns === undefined
          ? undefined
          : {
              file: statement,
              columns,
              openingBalance: given['opening-balance'],
              closingBalance: given['closing-balance'],
            },
      lookUp: given['look-up'],
      lookUpsPerMinute: given['per-minute'],
      checkpoint: checkpoint.read(),
      onCheckpoint: (text) => checkpoint.write(text),
      onProgress: ({ orders, lookedUp, findings, placedAt }) => {
        const at = placedAt?.toISOString().slice(0, 16).replace('T', ' ') ?? '';
        if (around.stdout.isTTY)
          around.stdout.write(
            `\r\u001b[K${orders} orders compared${at && ` down to ${at} UTC`}, ${lookedUp} lookups, ${findings} differences`,
          );
      },
      signal: ended.signal,
    }).finally(() => {
      if (around.stdout.isTTY) around.stdout.write('\r\u001b[K');
    });
    if (report.complete) checkpoint.remove();
    else if (report.checkpoint !== undefined) checkpoint.write(report.checkpoint);
    if (given.json) print(JSON.stringify({ ...report, checkpoint: undefined }));
    else for (const line of reportLines(report, timeZone, paintFor(around))) print(line);
    if (!report.complete)
      throw new CommandError(
        exitCodes.failed,
        given.checkpoint === undefined
          ? 'was ended; with --checkpoint FILE a later call could continue'
          : 'was ended; run the same command again to continue',
      );
    return report.findings.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await shop.close();
  }
}

/** The address in the environment, where no SQLite file was named. */
function databaseUrlOf(sqlite: string | undefined, { env }: ReconcileProcess): string | undefined {
  const url = env['BILLPAY_DATABASE_URL'];
  if (sqlite !== undefined || url === undefined) return undefined;
  return readText('BILLPAY_DATABASE_URL', flags['database-url'], url);
}
