import { parse } from 'csv-parse/sync';
import { type StatementColumns, statementRows, type WalletStatement } from '../../orders/index.js';
import { didYouMean } from '../../utils/nearest.js';
import { readProperty } from '../../utils/unknown.js';
import { CommandError, readTextFile } from '../frame.js';

/** The options that name a statement and say what its columns are. */
export interface StatementFlags {
  readonly statement?: string;
  readonly map?: string;
  readonly words?: string;
  readonly openingBalance?: number;
  readonly closingBalance?: number;
  readonly timeZone: string;
}

/** The wallet's statement; undefined without one. */
export function readStatementFile(flags: StatementFlags): WalletStatement | undefined {
  const { statement: file, map, words, openingBalance, closingBalance } = flags;
  if (file === undefined) {
    if ([map, words, openingBalance, closingBalance].every((about) => about === undefined)) return undefined;
    throw new CommandError('--map, --words and the balances are about a statement: name it with --statement');
  }
  if (map === undefined)
    throw new CommandError(
      '--statement needs --map, which says what its columns are: reference=Ref,kind=Type,amount=Amount',
    );
  const columns = columnsOf(map, flags);
  const text = readTextFile('--statement', file);
  let rows: unknown[];
  try {
    // Several columns of one name become a list, which is refused where it is read.
    const names = { columns: true, group_columns_by_name: true };
    rows = parse(text, { ...names, bom: true, skip_empty_lines: true, trim: true });
  } catch (error) {
    const problem = `${readProperty(error, 'code')}, line ${readProperty(error, 'lines')}`;
    throw new CommandError(
      `--statement: ${file} is not a CSV file (${problem}): export it as CSV with commas`,
    );
  }
  return { rows: statementRows(rows, columns), openingBalance, closingBalance };
}

function columnsOf(map: string, { words = '', timeZone }: StatementFlags): StatementColumns {
  const columns = pairsOf('--map', map, ['reference', 'kind', 'amount', 'time', 'key']);
  const { reference, kind, amount, ...others } = columns;
  if (reference === undefined || kind === undefined || amount === undefined)
    throw new CommandError('--map needs reference, kind and amount: reference=Ref,kind=Type,amount=Amount');
  const kinds = words === '' ? {} : pairsOf('--words', words, ['debit', 'credit', 'funding', 'fee', 'other']);
  const lists = Object.entries(kinds).map(([name, list]) => [name, String(list).split('|')] as const);
  return { reference, kind, amount, ...others, ...Object.fromEntries(lists), timeZone };
}

/** `reference=Ref,kind=Type` as pairs. A comma that belongs to a name is written twice. */
function pairsOf<const Name extends string>(
  flag: string,
  text: string,
  names: readonly Name[],
): { readonly [key in Name]?: string } {
  const pairs: { [key in Name]?: string } = {};
  for (const part of text.replaceAll(',,', '\0').split(',')) {
    const [, given = '', value] = /^(.*?)=(.+)$/.exec(part.replaceAll('\0', ',')) ?? [];
    const name = names.find((known) => known === given);
    if (value === undefined) throw new CommandError(`${flag}: ${part} is not such as ${names[0]}=Name`);
    if (!name)
      throw new CommandError(`${flag}: ${given} is none of ${names.join(', ')}${didYouMean(given, names)}`);
    pairs[name] = value;
  }
  return pairs;
}
