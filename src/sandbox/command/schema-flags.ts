import * as z from 'zod/mini';
import { anyText, type Flag, type Flags, type ParsedArguments } from '../../cli/flags.js';
import { UsageError } from '../../cli/program.js';
import { type FlagOf, flags, numberOrText } from '../schemas/kinds.js';

/** A field of a schema that a flag of the command line sets. */
interface FlagField {
  readonly field: string;
  /** The name of the flag, without the dashes. */
  readonly name: string;
  readonly flag: FlagOf;
  readonly schema: z.ZodMiniType;
}

/** The fields that have a flag: its name is that of the field, `settleAfter` as `settle-after`, where it has no other. */
export const flagFields = (shape: Readonly<Record<string, z.ZodMiniType>>): readonly FlagField[] =>
  Object.entries(shape).flatMap(([field, given]) => {
    const schema = given instanceof z.ZodMiniOptional ? (given.def.innerType as z.ZodMiniType) : given;
    const flag = flags.get(schema);
    const name = flag?.name ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return flag ? [{ field, name, flag, schema }] : [];
  });

/** What a flag does: in its own words, or in those of its option. */
function helpOf({ flag, schema }: FlagField): string {
  const help = flag.help ?? String(z.globalRegistry.get(schema)?.description).replace(/\.$/, '');
  return flag.many ? `${help}; repeatable` : help;
}

/** The flags of fields, as the command line knows them. Their texts are read together, by `readFields`. */
export const flagsOf = (fields: readonly FlagField[]): Flags =>
  Object.fromEntries(
    fields.map((field): [string, Flag] => {
      const [{ value }, help] = [field.flag, helpOf(field)];
      return [field.name, value === undefined ? { help } : { value, help, schema: anyText, many: true }];
    }),
  );

/** The value that the texts of a flag stand for; a switch has none. */
function valueFrom({ flag, schema }: FlagField, texts: readonly string[]): unknown {
  const last = texts.at(-1);
  if (flag.read) return flag.read(texts);
  if (flag.many) return texts;
  if (last === undefined) return true;
  const number = numberOrText(last);
  return [number, last].find((value) => schema.safeParse(value).success) ?? number;
}

/** The values of the fields whose flags were given; `UsageError` names the first flag that is wrong. */
export function readFields(
  fields: readonly FlagField[],
  { given }: Pick<ParsedArguments, 'given'>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const one of fields) {
    const { field, name, flag, schema } = one;
    if (given[name] === undefined) continue;
    const texts = [given[name]].flat().filter((value) => typeof value === 'string');
    values[field] = valueFrom(one, texts);
    if (flag.problem !== undefined && !schema.safeParse(values[field]).success) {
      throw new UsageError(`--${name} ${flag.problem}, not ${texts.at(-1)}`);
    }
  }
  return values;
}

/** The flag of each option: `--allow-remote` of `allowRemote`. */
export const flagNames = (fields: readonly FlagField[]): ReadonlyMap<string, string> =>
  new Map(fields.map(({ field, name }) => [field, `--${name}`]));

/** A message about an option, with flags in place of the options that they set. */
export const inFlags = (message: string, names: ReadonlyMap<string, string>): string =>
  message
    .replace(/\{ (\w+): true \}/g, '$1')
    .replace(/^\w+(?=: )|\b[a-z]+[A-Z]\w*/g, (option) => names.get(option) ?? option);
