import { wrapped } from '../../cli/columns.js';
import { readEnvFile } from '../../cli/env-file.js';
import { anyText, flagLines, parseFlags, postgresUrl, takeArguments, urlOf } from '../../cli/flags.js';
import { exitCodes, runProgram } from '../../cli/program.js';
import { type CommandProcess, paintFor, plain } from '../../cli/terminal.js';
import { version } from '../../version.js';
import { diagnose } from '../diagnose.js';
import type { Finding } from '../finding.js';
import { findingLine, findingLines, isHealthy, jsonReport, skippedLines, summaryLine } from '../report.js';

const flags = {
  env: { value: 'FILE', schema: anyText, help: 'Read environment variables from this file first' },
  'webhook-url': {
    value: 'URL',
    schema: urlOf(
      ['http', 'https'],
      'the address of a webhook endpoint such as https://example.com/webhooks',
    ),
    isSecret: true,
    help: 'The webhook endpoint to examine (default: $BILLPAY_WEBHOOK_URL; needs BILLPAY_WEBHOOK_SECRET)',
  },
  'database-url': {
    value: 'URL',
    schema: postgresUrl,
    isSecret: true,
    help: 'The PostgreSQL of the orders (default: $BILLPAY_DATABASE_URL)',
  },
  'redis-url': {
    value: 'URL',
    schema: urlOf(['redis', 'rediss'], 'the address of a Redis such as redis://localhost:6379'),
    isSecret: true,
    help: 'The Redis of the webhooks or queues (default: $BILLPAY_REDIS_URL)',
  },
  json: { help: 'Print one JSON object' },
  help: { short: 'h', help: 'Print this' },
  version: { help: 'Print the version' },
} as const;

const helpText = (): string =>
  [
    'Usage: billpay doctor [flags]',
    '',
    ...wrapped(
      'Checks that this machine can sell: Node, the environment variables, the way to the service, the account, and, where they are given, the webhook endpoint and the stores. It changes nothing (two test deliveries go to the endpoint), and never prints a secret.',
    ),
    '',
    ...flagLines(flags),
    '',
    'Exit code: 0 when no check failed, 1 when one did, 2 for a wrong command line.',
  ].join('\n');

/** What the command needs of its process. */
export interface DoctorProcess extends Pick<CommandProcess, 'env' | 'stdout' | 'stderr'> {
  readonly versions: { readonly node: string };
  cwd(): string;
}

/** Runs the command to its end; resolves to its exit code. */
export const runCommand = (args: readonly string[], around: DoctorProcess): Promise<number> =>
  runProgram('billpay doctor', () => run(args, around), around);

async function run(args: readonly string[], around: DoctorProcess): Promise<number> {
  const parsed = parseFlags(args, flags);
  const { given } = parsed;
  const print = (lines: readonly string[]) => lines.forEach((line) => void around.stdout.write(`${line}\n`));
  if (given.help || given.version) {
    print([given.help ? helpText() : version]);
    return exitCodes.done;
  }
  takeArguments(parsed);
  readEnvFile(given.env);
  const { env, versions } = around;
  const paint = paintFor(around);
  const isForPeople = around.stdout.isTTY || paint !== plain;
  const findings: Finding[] = [];
  const settings = {
    apiKey: env['BILLPAY_API_KEY'],
    clientId: env['BILLPAY_CLIENT_ID'],
    baseUrl: env['BILLPAY_BASE_URL'],
    webhookUrl: given['webhook-url'] ?? env['BILLPAY_WEBHOOK_URL'],
    webhookSecret: env['BILLPAY_WEBHOOK_SECRET'],
    databaseUrl: given['database-url'] ?? env['BILLPAY_DATABASE_URL'],
    redisUrl: given['redis-url'] ?? env['BILLPAY_REDIS_URL'],
    nodeVersion: versions.node,
    folder: around.cwd(),
    envFile: given.env,
  };
  for await (const finding of diagnose(settings)) {
    findings.push(finding);
    if (!given.json) print(isForPeople ? findingLines(finding, paint) : [findingLine(finding)]);
  }
  print(
    given.json
      ? [jsonReport(findings)]
      : [...(isForPeople ? skippedLines(findings, paint) : []), summaryLine(findings, paint)],
  );
  return isHealthy(findings) ? exitCodes.done : exitCodes.failed;
}
