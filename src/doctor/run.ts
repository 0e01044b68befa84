import { type CommandCall, commandRunner } from '../cli/command.js';
import { readEnvFile } from '../cli/env-file.js';
import { anyText, postgresUrl, urlOf } from '../cli/flags.js';
import { plain } from '../cli/terminal.js';
import { diagnose } from './diagnose.js';
import type { Finding } from './finding.js';
import { findingLine, findingLines, isHealthy, jsonReport, skippedLines, summaryLine } from './report.js';

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
} as const;

export const runCommand = commandRunner({
  name: 'doctor',
  description: [
    'Checks that this machine can sell: Node, the environment variables, the way to the service, the account, and, where they are given, the webhook endpoint and the stores. It changes nothing (two test deliveries go to the endpoint), and never prints a secret.',
  ],
  flags,
  exit: { done: 'no check failed', failed: 'one did' },
  run,
});

async function run({ given, around, paint, print }: CommandCall<typeof flags>): Promise<boolean> {
  readEnvFile(given.env);
  const { env, versions, stdout } = around;
  const settings = {
    env: {
      ...env,
      BILLPAY_WEBHOOK_URL: given['webhook-url'] ?? env['BILLPAY_WEBHOOK_URL'],
      BILLPAY_DATABASE_URL: given['database-url'] ?? env['BILLPAY_DATABASE_URL'],
      BILLPAY_REDIS_URL: given['redis-url'] ?? env['BILLPAY_REDIS_URL'],
    },
    nodeVersion: versions.node,
    folder: around.cwd(),
    envFile: given.env,
  };
  const isForPeople = stdout.isTTY || paint !== plain;
  const findings: Finding[] = [];
  for await (const finding of diagnose(settings)) {
    findings.push(finding);
    if (!given.json) print(...(isForPeople ? findingLines(finding, paint) : [findingLine(finding)]));
  }
  if (given.json) print(jsonReport(findings));
  else print(...(isForPeople ? skippedLines(findings, paint) : []), summaryLine(findings, paint));
  return isHealthy(findings);
}
