import { wrapped } from '../../../cli/columns.js';
import { type Command, type CommandCall, commandRunner, type RunCommand } from '../../../cli/command.js';
import { anyText, type Flags, type ParsedArguments, readText, urlOf } from '../../../cli/flags.js';
import { CommandError } from '../../../cli/program.js';
import { ControlClient } from '../control-client.js';
import { inFlags } from '../schema-flags.js';

/** One run of a subcommand. */
export interface SubcommandCall<F extends Flags = Flags> extends CommandCall<F> {
  readonly control: ControlClient;
  /** Whether results are printed as JSON, one value a line. */
  readonly json: boolean;
}

/** What a subcommand found or did. */
interface Result {
  /** With `--json`: a value, or a list of values with a line each. */
  readonly value: object;
  /** Without it. */
  readonly lines: readonly string[];
  /** False where something else was expected; the exit code is then 1. */
  readonly ok?: boolean;
}

/** A command that talks to a running sandbox. */
interface Subcommand<F extends Flags> extends Omit<Command<F>, 'run' | 'exit'> {
  /** The flags of options that the control API calls by other names. */
  readonly optionFlags?: Parameters<typeof inFlags>[1];
  /** Resolves to what is printed at its end, if anything; throws `CommandError` or `UsageError`. */
  run(call: SubcommandCall<F>): Promise<Result | undefined>;
}

/** The flags of every subcommand. */
const commonFlags = {
  url: {
    value: 'URL',
    schema: urlOf(['http', 'https'], 'the address of a sandbox such as http://127.0.0.1:4010'),
    help: 'The running sandbox (default: $BILLPAY_SANDBOX_URL, else http://127.0.0.1:4010)',
  },
  'control-token': {
    value: 'TOKEN',
    schema: anyText,
    isSecret: true,
    help: 'Its control token, if it is open to a network (default: $BILLPAY_SANDBOX_TOKEN)',
  },
  json: { help: 'Print JSON, one value a line' },
} as const;

/** A text in lines of at most 80 characters. */
export const inLines = (text: string): readonly string[] => wrapped(text, undefined, '    ');

/** The frame of a subcommand: the sandbox that it talks to, and how its result is printed. */
export const subcommandRunner = <const F extends Flags>({
  optionFlags = [],
  ...command
}: Subcommand<F>): RunCommand =>
  commandRunner<F>({
    ...command,
    flags: { ...command.flags, ...commonFlags },
    exit: {
      done: 'it is done',
      failed: 'the sandbox refused it or something else happened',
      unreachable: 'no sandbox responds',
    },
    run: async (call) => {
      const { env } = call.around;
      const { url, 'control-token': token, json = false } = call.given as Common;
      const variable = env['BILLPAY_SANDBOX_URL'];
      const fromVariable = variable && readText('BILLPAY_SANDBOX_URL', commonFlags.url, variable);
      const control = new ControlClient(
        // A base address with its path, as a .env file holds it, will do.
        new URL(url ?? (fromVariable || 'http://127.0.0.1:4010')).origin,
        token ?? env['BILLPAY_SANDBOX_TOKEN'],
      );
      const own = Object.keys(command.flags).map((name) => ({ field: name, name }));
      const result = await command.run({ ...call, control, json }).catch((error: unknown) => {
        if (!(error instanceof CommandError)) throw error;
        throw new CommandError(error.exitCode, inFlags(error.message, [...own, ...optionFlags]));
      });
      if (!result) return true;
      const { value, lines, ok = true } = result;
      call.print(...(json ? [value].flat().map((one) => JSON.stringify(one)) : lines.flatMap(inLines)));
      return ok;
    },
  });

type Common = ParsedArguments<typeof commonFlags>['given'];
