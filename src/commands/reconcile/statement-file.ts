import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { type StatementColumns, type StatementRow, statementRows } from '../../orders/index.js';
import { didYouMean } from '../../utils/nearest.js';
import { readProperty } from '../../utils/read-property.js';
import { CommandError } from '../frame.js';

const columnNames = ['reference', 'kind', 'amount', 'time', 'key'] as const;
const kindNames = ['debit', 'credit', 'funding', 'fee', 'other'] as const;

/** `reference=Ref,kind=Type` as pairs. A comma or an equals sign that belongs to a name is written twice. */
function pairsOf<Name extends string>(
  flag: string,
  text: string,
  names: readonly Name[],
): { readonly [key in Name]?: string } {
  const pairs = text
    .replaceAll(',,', '\0')
    .split(',')
    .map((part) => part.replaceAll('\0', ','));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      const given = pair.slice(0, at);
      const name = names.find((known) => known === given);
      if (at < 0 || pair.length === at + 1)
        throw new CommandError(`${flag}: ${pair} is not such as ${names[0]}=Name`);
      if (!name)
        throw new CommandError(`${flag}: ${given} is none of ${names.join(', ')}${didYouMean(given, names)}`);
      return [name, pair.slice(at + 1)];
    }),
  ) as { readonly [key in Name]?: string };
}

/** What `--map`, `--words` and `--time-zone` say of the columns of a statement. */
export function columnsOf(map: string, words: string | undefined, timeZone: string): StatementColumns {
  const { reference, kind, amount, ...others } = pairsOf('--map', map, columnNames);
  if (reference === undefined || kind === undefined || amount === undefined)
    throw new CommandError('--map needs reference, kind and amount: reference=Ref,kind=Type,amount=Amount');
  const named = words === undefined ? {} : pairsOf('--words', words, kindNames);
  const lists = Object.entries(named).map(([name, list]) => [name, String(list).split('|')] as const);
  return { reference, kind, amount, ...others, ...Object.fromEntries(lists), timeZone };
}

export function readStatementFile(file: string, columns: StatementColumns): AsyncIterable<StatementRow> {
  const text = readFileSync(file, 'utf8');
  let rows: unknown[];
  try {
    // Several columns of one name become a list, which is refused where it is read.
    const names = { columns: true, group_columns_by_name: true };
    rows = parse(text, { ...names, bom: true, skip_empty_lines: true, trim: true });
  } catch (error) {
    const problem = `${readProperty(error, 'code')}, line ${readProperty(error, 'lines')}`;
    throw new CommandError(`--statement: ${file} is not a CSV file (${problem})`);
  }
  return statementRows(rows, columns);
}
