import { version } from '../../version.js';
import { diagnose } from '../diagnose.js';
import type { Finding } from '../finding.js';
import { findingLine, isHealthy, jsonReport, summaryLine } from '../report.js';
import { type DoctorFlags, helpText, readFlags, UsageError } from './flags.js';

/** What the command needs of its process. */
export interface DoctorProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly versions: { readonly node: string };
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  cwd(): string;
}

/** Runs the command to its end; resolves to its exit code. */
export async function runCommand(args: readonly string[], around: DoctorProcess): Promise<number> {
  const { stdout, stderr } = around;
  try {
    const flags = readFlags(args);
    if (flags === 'help' || flags === 'version') {
      stdout.write(`${flags === 'help' ? helpText : version}\n`);
      return 0;
    }
    return await runDoctor(flags, around);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`billpay: ${error.message}\n`);
    return 2;
  }
}

async function runDoctor(flags: DoctorFlags, around: DoctorProcess): Promise<number> {
  readEnvFile(flags.envFile);
  const { env, stdout, versions } = around;
  const findings: Finding[] = [];
  const settings = {
    apiKey: env['BILLPAY_API_KEY'],
    clientId: env['BILLPAY_CLIENT_ID'],
    baseUrl: env['BILLPAY_BASE_URL'],
    webhookUrl: flags.webhookUrl ?? env['BILLPAY_WEBHOOK_URL'],
    webhookSecret: env['BILLPAY_WEBHOOK_SECRET'],
    databaseUrl: flags.databaseUrl ?? env['BILLPAY_DATABASE_URL'],
    redisUrl: flags.redisUrl ?? env['BILLPAY_REDIS_URL'],
    nodeVersion: versions.node,
    folder: around.cwd(),
  };
  for await (const finding of diagnose(settings)) {
    findings.push(finding);
    if (!flags.json) stdout.write(`${findingLine(finding)}\n`);
  }
  stdout.write(`${flags.json ? jsonReport(findings) : summaryLine(findings)}\n`);
  return isHealthy(findings) ? 0 : 1;
}

/** Variables that are set already win over those of the file. */
function readEnvFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    process.loadEnvFile(file);
  } catch {
    throw new UsageError(`--env: ${file} cannot be read`);
  }
}
