#!/usr/bin/env node
import { columns } from './cli/columns.js';
import { runProgram, UsageError } from './cli/program.js';
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

async function main(): Promise<number | undefined> {
  const [name] = process.argv.slice(2);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(`${helpText()}\n`);
    return 0;
  }
  if (name === '--version') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const names = Object.keys(commands);
    throw new UsageError(`has no command ${name}${didYouMean(name, names)}: it has ${names.join(', ')}`);
  }
  // The program reads the arguments behind its name, and sets the exit code.
  process.argv.splice(2, 1);
  await command.start();
  return undefined;
}

const exitCode = await runProgram('billpay', async () => (await main()) ?? -1, process);
if (exitCode >= 0) process.exitCode = exitCode;
