import { parseArgs } from 'node:util';

/** What is wrong with a command line, in one line. */
export class UsageError extends Error {}

/** The flags of `billpay doctor`. */
export interface DoctorFlags {
  readonly json: boolean;
  readonly envFile: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
}

/** What `--help` prints. */
export const helpText = `Usage: billpay doctor [flags]

Checks that this machine can sell: Node, the environment variables, the way to the service, the account, and, where they are given,
the webhook endpoint and the stores. It changes nothing (two test
deliveries go to the endpoint), and never prints a secret.

Flags:
  --env FILE            Read environment variables from this file first
  --webhook-url URL     The webhook endpoint to examine (default: BILLPAY_WEBHOOK_URL; needs BILLPAY_WEBHOOK_SECRET)
  --database-url URL    The PostgreSQL of the orders (default: BILLPAY_DATABASE_URL)
  --redis-url URL       The Redis of the webhooks or queues (default: BILLPAY_REDIS_URL)
  --json                Print one JSON object
  -h, --help            Print this
  --version             Print the version

Exit code: 0 when no check failed, 1 when one did, 2 for a wrong command line.`;

/** Reads a command line. @throws UsageError */
export function readFlags(args: readonly string[]): DoctorFlags | 'help' | 'version' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  const [command, ...rest] = positionals;
  if (command === undefined) return 'help';
  if (command !== 'doctor' || rest.length > 0) {
    throw new UsageError(`there is no command ${positionals.join(' ')}; see --help`);
  }
  return {
    json: values.json ?? false,
    envFile: values.env,
    webhookUrl: values['webhook-url'],
    databaseUrl: values['database-url'],
    redisUrl: values['redis-url'],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        env: { type: 'string' },
        'webhook-url': { type: 'string' },
        'database-url': { type: 'string' },
        'redis-url': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    // The first line names the flag; the value of a flag may be a secret and is in none of these messages.
    throw new UsageError(
      `${String(error instanceof Error ? error.message : error).split('. ')[0]}; see --help`,
    );
  }
}
