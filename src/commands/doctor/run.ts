import { type Command, Help } from 'commander';
import { createRedactor } from '../../redaction.js';
import { printable } from '../../utils/printable.js';
import { version } from '../../version.js';
import { addDatabaseOptions, addressOf, type DatabaseOptions } from '../database.js';
import { envOption, readEnvFile, variable } from '../environment.js';
import { createCommand, type ExitCode, exitCodes, secretText, valueOption } from '../frame.js';
import { type CommandProcess, paintFor, widthOf } from '../terminal.js';
import { type Answer, type Finding, skipped } from './finding.js';
import { checkCredentials, checkNode } from './local.js';
import { checkService } from './service.js';
import { checkStore } from './store.js';
import { checkWebhook } from './webhook.js';

interface Options extends DatabaseOptions {
  readonly env?: string;
  readonly webhookUrl?: string;
  readonly json?: true;
}

export const doctorCommand = (process: CommandProcess): Command =>
  addDatabaseOptions(
    createCommand('doctor', process)
      .description(
        `Answers whether this machine can sell: are Node and the package supported, are the credentials right, does the service accept them, is the clock right, does the receiver of webhooks refuse forgeries, can the database keep orders. It charges and changes nothing (four test deliveries go to the endpoint, and one order is written and rolled back), and prints no secret.

Exit code: 0 when nothing failed, 1 when something did, 2 when the doctor could not run.`,
      )
      .addOption(envOption())
      .addOption(
        valueOption(
          '--webhook-url <url>',
          'The webhook endpoint (default: $BILLPAY_WEBHOOK_URL; needs $BILLPAY_WEBHOOK_SECRET)',
          secretText,
        ),
      ),
  )
    .option('--json', 'Print one JSON object')
    .action(async (options: Options) => {
      process.exitCode = await run(options, process);
    });

async function run(options: Options, process: CommandProcess): Promise<ExitCode> {
  const { env, stdout } = process;
  readEnvFile(options.env, env);
  const { known } = createRedactor(secretsIn(env, options));
  const findings: Finding[] = [];
  for await (const { check, status, message } of examine(options, process)) {
    // What a response says comes from elsewhere.
    const finding = { check, status, message: printable(known(message)) };
    findings.push(finding);
    if (!options.json) stdout.write(`${lineOf(finding, process)}\n`);
  }
  const isWell = findings.every(({ status }) => status !== 'failed');
  if (options.json) stdout.write(`${JSON.stringify({ ok: isWell, version, findings }, null, 2)}\n`);
  return isWell ? exitCodes.done : exitCodes.failed;
}

/** Answers the six questions, each as soon as what it builds on is right. */
async function* examine(options: Options, process: CommandProcess): AsyncGenerator<Finding> {
  const { env } = process;
  const node = checkNode(process);
  yield { check: 'node', ...node };
  const { answers, credentials } = checkCredentials(process, options.env);
  for (const answer of answers) yield { check: 'credentials', ...answer };
  const why = skipped('it is asked when the answers above are right');
  if (credentials && node.status === 'ok') yield* checkService(credentials);
  else for (const check of ['service', 'clock'] as const) yield { check, ...why };
  const webhook = await checkWebhook({
    url: options.webhookUrl ?? variable(env, 'BILLPAY_WEBHOOK_URL'),
    secret: variable(env, 'BILLPAY_WEBHOOK_SECRET'),
    baseUrl: variable(env, 'BILLPAY_BASE_URL'),
  });
  yield { check: 'webhook', ...webhook };
  const { table } = options;
  yield { check: 'store', ...(await checkStore(addressOf(options, env), { table, folder: process.cwd() })) };
}

const tints = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const satisfies Record<
  Answer['status'],
  string
>;

/** One line, wrapped on a terminal. */
function lineOf({ check, status, message }: Finding, { stdout }: CommandProcess): string {
  const mark = (status === 'failed' ? 'FAILED' : status).padEnd(7);
  const head = `${paintFor(stdout)(tints[status], mark)}  ${check.padEnd(11)}  `;
  const indent = 22;
  if (!stdout.isTTY) return head + message;
  const lines = new Help().boxWrap(message, widthOf(stdout) - indent);
  return head + lines.replaceAll('\n', `\n${' '.repeat(indent)}`);
}

/** Every value that must never be printed. */
function secretsIn(env: CommandProcess['env'], { databaseUrl }: Options): string[] {
  const urls = [variable(env, 'BILLPAY_DATABASE_URL'), databaseUrl?.at].filter((url) => url !== undefined);
  const passwords = urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).password);
  const secrets = ['BILLPAY_API_KEY', 'BILLPAY_WEBHOOK_SECRET'].map((name) => variable(env, name));
  return [...secrets, ...urls, ...passwords].filter(
    (secret) => secret !== undefined && secret.trim() !== '',
  ) as string[];
}
