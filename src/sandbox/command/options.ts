import { InvalidArgumentError, Option } from 'commander';
import * as z from 'zod/mini';
import { type ListenOptions, listenFields } from '../http/listen-options.js';
import { type SandboxOptions, sandboxFields } from '../options.js';

const fields = { ...listenFields, ...sandboxFields };

/** The fields that are flags, as their values are called in the help: none for a switch. */
const flags = {
  port: 'number',
  state: 'file',
  balance: 'naira',
  settleAfter: 'time',
  fixtures: undefined,
  host: 'address',
  allowRemote: undefined,
  controlToken: 'token',
  allowWebhookHosts: 'names...',
  seed: 'text',
  clock: 'kind',
  startAt: 'time',
  rateLimits: undefined,
} satisfies Partial<Record<keyof typeof fields, string | undefined>>;

type FlagName = keyof typeof flags;

/** The flag of an option: described by the option's schema, and checked by it. */
export function flagOf(field: FlagName): Option {
  const schema: z.ZodMiniOptional<z.ZodMiniType> = fields[field];
  const long = `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const value = flags[field];
  // The wrapper that makes a field optional has no description of its own.
  const { description = '' } = z.globalRegistry.get(schema.def.innerType) ?? {};
  const option = new Option(value === undefined ? long : `${long} <${value}>`, description);
  if (value === undefined) return option;
  return option.argParser((text: string, before: unknown) => {
    const number = /^-?\d+(\.\d+)?$/.test(text) ? [Number(text)] : [];
    const given = option.variadic ? [[...(Array.isArray(before) ? before : []), text]] : [...number, text];
    const results = given.map((one) => schema.safeParse(one));
    const right = results.find(({ success }) => success);
    if (right?.success) return right.data;
    // What was given instead is in the message of commander.
    const [problem] = String(results[0]?.error?.issues[0]?.message).split('; got ');
    throw new InvalidArgumentError(`It ${problem}.`);
  });
}

/** What a command line gave. */
export type Given = {
  readonly [Name in FlagName]?: Name extends keyof SandboxOptions
    ? SandboxOptions[Name]
    : Name extends keyof ListenOptions
      ? ListenOptions[Name]
      : never;
} & {
  readonly webhookUrl?: string;
  readonly config?: string;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
};

const pick = (given: Given, names: object): object =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in names));

/** The options of `listen` and those of `createSandbox` that a command line sets. */
export const optionsOf = (given: Given): { listen: ListenOptions; sandbox: SandboxOptions } => ({
  listen: pick(given, listenFields),
  sandbox: pick(given, sandboxFields),
});
