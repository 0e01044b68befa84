import type { Flags, ParsedArguments } from '../../../cli/flags.js';
import type { CommandProcess, Paint } from '../../../cli/terminal.js';
import type { ControlClient } from '../control-client.js';

/** One run of a subcommand. */
export interface SubcommandCall<F extends Flags = Flags> {
  readonly args: ParsedArguments<F>;
  readonly control: ControlClient;
  readonly around: CommandProcess;
  readonly paint: Paint;
  /** Whether results are printed as JSON, one value a line. */
  readonly json: boolean;
  /** Prints one line to stdout. */
  print(line: string): void;
}

/** A command that talks to a running sandbox. */
export interface Subcommand<F extends Flags = Flags> {
  /** Without the program: `settle REFERENCE success|failed`. */
  readonly usage: string;
  /** What it does, in paragraphs. */
  readonly description: readonly string[];
  /** Names and explanations to print as a table, such as the names of the triggers. */
  readonly table?: readonly (readonly [name: string, help: string])[];
  readonly flags: F;
  /** Command lines without the program. */
  readonly examples: readonly string[];
  /** Resolves to the exit code; throws `CommandError` or `UsageError`. */
  run(call: SubcommandCall<F>): Promise<number>;
}
