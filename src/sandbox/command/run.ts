import { type Command, Option } from 'commander';
import { createCommand, nairaAmount } from '../../commands/frame.js';
import { type CommandProcess, widthOf } from '../../commands/terminal.js';
import { products } from '../../contract/vocabulary.js';
import { triggers } from '../lab/triggers.js';
import { flagOf, type Given } from './options.js';
import type { TriggerOptions } from './trigger.js';

/** `billpay sandbox`, with `trigger` below it. */
export function sandboxCommand(process: CommandProcess): Command {
  const command = createCommand('sandbox', process)
    .description(
      'Runs the whole bill payment service on this machine until Ctrl-C: nothing is charged, nothing is delivered. Its page shows what was tried and what became of it.',
    )
    .optionsGroup('Everyday:')
    .option('--webhook-url <url>', 'Send webhooks to this address, and print their secret')
    .addOption(flagOf('state'))
    .addOption(flagOf('balance'))
    .addOption(flagOf('settleAfter'))
    .addOption(flagOf('port'))
    .option('--verbose', 'Print keys, triggers and a first purchase too')
    .option('--quiet', 'Print nothing but problems')
    .option('--json', 'Print one JSON line when it is ready, and no lines after it')
    .optionsGroup('Network:')
    .addOption(flagOf('host'))
    .addOption(flagOf('allowRemote'))
    .addOption(flagOf('controlToken'))
    .addOption(flagOf('allowWebhookHosts'))
    .optionsGroup('Reproducible:')
    .addOption(flagOf('seed'))
    .addOption(flagOf('clock'))
    .addOption(flagOf('startAt'))
    .addOption(flagOf('rateLimits'))
    .addOption(flagOf('fixtures'))
    .option('--config <file>', 'Read options from this JSON file; flags win over it')
    .addHelpText(
      'after',
      `
Examples:
  npx billpay sandbox
  npx billpay sandbox --webhook-url http://127.0.0.1:3000/webhooks/billpay
  npx billpay sandbox --state ./sandbox.state --settle-after manual
  npx billpay sandbox trigger response-lost`,
    )
    .action(async (given: Given) => {
      const { runSandbox } = await import('./start.js');
      await runSandbox(given, process);
    });
  return command.addCommand(triggerCommand(process));
}

function triggerCommand(process: CommandProcess): Command {
  const names = ['success', ...triggers.map(({ name }) => name)];
  return createCommand('trigger', process)
    .summary('Make something happen in a running sandbox')
    .description(
      'Makes something happen in a running sandbox: sends one request as a client of the service, settles the transaction where the name says so, and prints what came of it.',
    )
    .argument('<name>', `One of ${names.join(', ')}`)
    .addOption(new Option('--product <name>', 'What to buy (default: airtime)').choices(products))
    .option('--amount <naira>', 'For airtime and electricity (default: 500)', nairaAmount)
    .option('--client <id>', 'Who buys (default: the default client)')
    .option('--key <key>', 'The idempotency key (default: a new one)')
    .option('--url <url>', 'The sandbox (default: $BILLPAY_SANDBOX_URL, else port 4010 here)')
    .option('--control-token <token>', 'Its control token, if it has one (default: $BILLPAY_SANDBOX_TOKEN)')
    .option('--json', 'Print one JSON object')
    .addHelpText('after', ({ command }) => {
      const help = command.createHelp();
      help.prepareContext({ helpWidth: widthOf(process.stdout) });
      const rows = [{ name: 'success', description: 'Accepted; settles as success.' }, ...triggers];
      return `
Names:
${rows.map(({ name, description }) => help.formatItem(name, 22, description, help)).join('\n')}

Examples:
  npx billpay sandbox trigger failed
  npx billpay sandbox trigger success --product electricity
  npx billpay sandbox trigger response-lost --key order-7`;
    })
    .action(async (name: string, options: TriggerOptions) => {
      const { runTrigger } = await import('./trigger.js');
      process.exitCode = await runTrigger(name, options, process);
    });
}
