import type { Command } from 'commander';
import { createRedactor } from '../../redaction.js';
import { printable } from '../../utils/print.js';
import { version } from '../../version.js';
import { addDatabaseOptions, addressOf, type DatabaseOptions } from '../database.js';
import { createCommand, type ExitCode, envOption, exitCodes, readEnvFile, variable } from '../frame.js';
import { type CommandProcess, paintFor, widthOf, wrapped } from '../terminal.js';
import { type Answer, type Finding, failed, ok, skipped } from './finding.js';
import { checkCredentials, checkService } from './service.js';
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
      .option(
        '--webhook-url <url>',
        'The webhook endpoint (default: $BILLPAY_WEBHOOK_URL; needs $BILLPAY_WEBHOOK_SECRET)',
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
  const why = skipped('the answers above must be right first');
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

/** Whether Node and the package are supported. */
function checkNode({ versions, env }: Pick<CommandProcess, 'versions' | 'env'>): Answer {
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return failed(`Node ${versions.node} is too old for billpay ${version}: install Node 20.19 or later`);
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    return failed(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns the verification of certificates off, so the key goes to whoever answers: remove it; behind a proxy that inspects TLS, name its certificate in NODE_EXTRA_CA_CERTS',
    );
  return ok(`billpay ${version} on Node ${versions.node}`);
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
  return head + wrapped(message, widthOf(stdout) - indent).join(`\n${' '.repeat(indent)}`);
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
