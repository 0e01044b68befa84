#!/usr/bin/env node
import { columns } from './cli/columns.js';
import { exitCodes, runProgram, UsageError } from './cli/program.js';
import { dropUnread } from './cli/terminal.js';
import { didYouMean } from './utils/nearest.js';
import { version } from './version.js';

/** The commands. Each is a program of its own, loaded when it is called. A new one is a line here and an entry in tsup.config.ts. */
const commands: Readonly<Record<string, { readonly help: string; readonly start: () => Promise<unknown> }>> =
  {
    sandbox: {
      help: 'Run the whole service on this machine: nothing is charged',
      start: () => import('./sandbox/command/index.js'),
    },
    doctor: {
      help: 'Check that this machine can sell',
      start: () => import('./doctor/command.js'),
    },
    reconcile: {
      help: 'Compare the orders of a day with the service and the wallet',
      start: () => import('./reconcile/command.js'),
    },
    prove: {
      help: 'Prove here that every order is charged at most once',
      start: () => import('./prove/command.js'),
    },
  };

const helpText = (): string =>
  [
    'Usage: billpay COMMAND [flags]',
    '',
    ...columns(Object.entries(commands).map(([name, { help }]) => [name, help])),
    '',
    'billpay COMMAND --help prints what a command does, and its flags.',
    'billpay --version prints the version.',
  ].join('\n');

/** Starts a command, which sets the exit code by itself. */
async function main(): Promise<number> {
  const [name] = process.argv.slice(2);
  if (name === '--version' || name === undefined || /^(help|--help|-h)$/.test(name)) {
    process.stdout.write(`${name === '--version' ? version : helpText()}\n`);
    return exitCodes.done;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const names = Object.keys(commands);
    throw new UsageError(`has no command ${name}${didYouMean(name, names)}: it has ${names.join(', ')}`);
  }
  // The program reads the arguments behind its name.
  process.argv.splice(2, 1);
  await command.start();
  return Number(process.exitCode ?? exitCodes.done);
}

dropUnread(process);
process.exitCode = await runProgram('billpay', main, process);
