import { commandRunner } from '../../cli/command.js';
import { flags, givenOptions, namedByFlags } from './flags.js';

export const runCommand = commandRunner({
  name: 'sandbox',
  description: [
    'Runs the whole bill payment service on this machine until Ctrl-C: nothing is charged, nothing is delivered. The subcommands talk to a sandbox that is running.',
  ],
  flags,
  subcommands: {
    trigger: {
      usage: 'trigger NAME',
      help: 'Make something happen: a transaction that fails, a lost response, ...',
      load: () => import('./subcommands/trigger.js'),
    },
    settle: {
      usage: 'settle REFERENCE success|failed',
      help: 'Settle a pending transaction',
      load: () => import('./subcommands/settle.js'),
    },
    listen: {
      usage: 'listen --forward-to URL',
      help: 'Print, verify and forward webhooks',
      load: () => import('./subcommands/listen.js'),
    },
    audit: {
      usage: 'audit',
      help: 'Check the books',
      load: () => import('./subcommands/audit.js'),
    },
    faults: {
      usage: 'faults [list|add|remove]',
      help: 'List, add and remove faults',
      load: () => import('./subcommands/faults.js'),
    },
    reset: {
      usage: 'reset',
      help: 'Set everything back to the beginning',
      load: () => import('./subcommands/reset.js'),
    },
  },
  exit: { done: 'it was ended', failed: 'a file cannot be used' },
  run: async (call) => {
    const { runSandbox } = await import('./start.js');
    await runSandbox(call, givenOptions(call.given)).catch((error: unknown) => {
      throw namedByFlags(error, call.given);
    });
    return true;
  },
});
