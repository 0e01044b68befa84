#!/usr/bin/env node
import type { Command } from 'commander';
import { version } from '../version.js';
import { CommandError, createCommand, runCommand } from './frame.js';
import type { CommandProcess } from './terminal.js';

type Commands = Readonly<
  Record<
    string,
    { readonly summary: string; readonly load: () => Promise<(process: CommandProcess) => Command> }
  >
>;

/** The commands, each loaded when it is called. */
const commands: Commands = {
  sandbox: {
    summary: 'Run the whole service on this machine: nothing is charged',
    load: async () => (await import('../sandbox/command/run.js')).sandboxCommand,
  },
  doctor: {
    summary: 'Check that this machine can sell',
    load: async () => (await import('./doctor/doctor.js')).doctorCommand,
  },
  reconcile: {
    summary: 'Compare the orders of a day with the service and the wallet',
    load: async () => (await import('./reconcile/reconcile.js')).reconcileCommand,
  },
  prove: {
    summary: 'Prove here that every order is charged at most once',
    load: async () => (await import('./prove/prove.js')).proveCommand,
  },
};

/** The program, with the command that is called in full and the others as lines of the help. */
async function createProgram(args: readonly string[], process: CommandProcess): Promise<Command> {
  const program = createCommand('billpay', process)
    .description('Commands for resellers of airtime, data, TV, electricity and PINs.')
    .version(version, '--version', 'Print the version')
    .helpCommand('help [command]', 'Print what a command does, and its options');
  const called = args.find((arg) => Object.hasOwn(commands, arg));
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = name === called ? (await load())(process) : createCommand(name, process);
    program.addCommand(command.summary(summary));
  }
  program
    .command('trigger', { hidden: true })
    .argument('[name]')
    .allowExcessArguments()
    .allowUnknownOption()
    .action((name = 'NAME') => {
      throw new CommandError(`belongs to the sandbox: run npx billpay sandbox trigger ${name}`);
    });
  return program;
}

// Whoever was reading is gone (`billpay doctor | head -3`): what is left to print is dropped.
process.stdout.on('error', () => {});
const args = process.argv.length > 2 ? process.argv.slice(2) : ['--help'];
if (args[0] === 'prove-shop') {
  // The process that `billpay prove` starts again and again.
  import('./prove/shop.js').then(({ runShop }) => runShop());
} else {
  createProgram(args, process)
    .then((program) => runCommand(program, args, process))
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}
