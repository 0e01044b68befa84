import * as z from 'zod/mini';
import { anyText, type Flag, type Flags, type ParsedArguments, textThat } from '../../cli/flags.js';
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

function flagOf(one: FlagField): Flag {
  const { value, problem, many } = one.flag;
  const help = helpOf(one);
  if (value === undefined) return { help };
  const isRight = (text: string) => one.schema.safeParse(valueFrom(one, [text])).success;
  // What has no `problem` is checked where it is used, by the same schema.
  const schema = problem === undefined ? anyText : textThat(isRight, problem);
  return { value, help, schema, ...(many && { many }) };
}

/** The flags of fields, as the command line knows them. */
export const flagsOf = (fields: readonly FlagField[]): Flags =>
  Object.fromEntries(fields.map((one) => [one.name, flagOf(one)]));

/** The value that the texts of a flag stand for; a switch has none. */
function valueFrom({ flag, schema }: FlagField, texts: readonly string[]): unknown {
  const last = texts.at(-1);
  if (flag.read) return flag.read(texts);
  if (flag.many) return texts;
  if (last === undefined) return true;
  const number = numberOrText(last);
  return [number, last].find((value) => schema.safeParse(value).success) ?? number;
}

/** The values of the fields whose flags were given. */
export const readFields = (
  fields: readonly FlagField[],
  given: ParsedArguments['given'],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields
      .filter(({ name }) => given[name] !== undefined)
      .map((one) => {
        const texts = [given[one.name]].flat().filter((value) => typeof value === 'string');
        return [one.field, valueFrom(one, texts)];
      }),
  );

/** A message about an option, with flags in place of the options that they set. */
export function inFlags(message: string, fields: readonly Pick<FlagField, 'field' | 'name'>[]): string {
  const names = new Map(fields.map(({ field, name }) => [field, `--${name}`]));
  return message
    .replace(/\{ (\w+): true \}/g, '$1')
    .replace(/^\w+(?=: )|\b[a-z]+[A-Z]\w*/g, (option) => names.get(option) ?? option);
}
