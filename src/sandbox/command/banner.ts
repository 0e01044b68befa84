import { columns as wrappedColumns } from '../../cli/columns.js';
import type { Paint } from '../../cli/terminal.js';
import { version } from '../../version.js';
import type { Listening } from '../http/listen-options.js';
import { triggers } from '../lab/triggers.js';
import type { SandboxOptions } from '../options.js';
import { readDuration } from '../schemas/duration.js';
import type { Sandbox } from '../types.js';
import { envBlock, firstPurchaseCurl } from '../words/paste.js';
import { money } from '../words/words.js';

/** What the command says when it is ready. The keys are the sandbox's own: they open nothing else. */

export interface Started {
  readonly sandbox: Sandbox;
  readonly listening: Listening;
  /** What the flags and the configuration file set. */
  readonly options: SandboxOptions;
  /** The secret of the endpoint that was subscribed at the start. */
  readonly webhookSecret: string | undefined;
  /** The usual port, where another process has it. */
  readonly takenPort?: number | undefined;
}

const consoleAddress = ({ baseUrl }: Listening): string => new URL('/', baseUrl).href;

/** Where a subcommand finds a sandbox without `--url`. */
const usualAddress = /^http:\/\/(127\.0\.0\.1|0\.0\.0\.0|localhost):4010$/;

const settles = (after: SandboxOptions['settleAfter'] = 1000): string =>
  after === 'manual'
    ? 'by hand: on the console page, or with billpay sandbox settle'
    : `after ${(readDuration(after) ?? 0) / 1000} s`;

const limits = (rateLimits: SandboxOptions['rateLimits']): string => {
  if (!rateLimits) return 'none';
  return rateLimits === true ? 'as documented' : 'as configured';
};

/** Names and values; what is undefined has no row. */
type Rows = readonly (readonly [name: string, value: string | undefined])[];

/** Which of what the sandbox makes up comes again at the next start. */
function keyRows({ seed, references }: SandboxOptions, sandbox: Sandbox): Rows {
  const ids = references === 'seeded' ? 'are repeated too' : 'are always new';
  if (seed === undefined) return [['Keys', `the same at every start; references and ids ${ids}`]];
  const repeated = 'keys, webhook secrets, names and addresses';
  return [
    ['Seed', sandbox.seed],
    ['Repeats', `${repeated}; references and delivery ids ${ids}`],
  ];
}

/** Names and values in two columns. */
const columns = (rows: Rows, paint: Paint): readonly string[] => {
  const given = rows.filter(([, value]) => value !== undefined);
  const width = Math.max(...given.map(([name]) => name.length)) + 2;
  return given.map(([name, value]) => `  ${paint('dim', name.padEnd(width))}${value}`);
};

/** Lines to paste stand at the left edge, so that nothing else comes along. */
export function banner(started: Started, paint: Paint, verbose = false): string {
  const { sandbox, listening, options, webhookSecret, takenPort } = started;
  const { origin } = new URL(listening.baseUrl);
  const taken = takenPort === undefined ? '' : `  (port ${takenPort} is in use)`;
  const tryFlags = [
    listening.controlToken !== undefined && '--control-token TOKEN',
    !usualAddress.test(origin) && `--url ${origin}`,
  ].filter(Boolean);
  const tryLine = ['npx billpay sandbox trigger success', tryFlags.join(' \\\n  ')].join(' ').trim();
  return [
    `${paint('bold', 'billpay sandbox')} ${version}: nothing is charged. Ctrl-C ends it.`,
    '',
    ...columns(
      [
        ['Page', consoleAddress(listening)],
        ['Address', `${listening.baseUrl}${taken}`],
        ['Control token', listening.controlToken],
        ['State', options.state],
      ],
      paint,
    ),
    '',
    envBlock(listening.baseUrl, sandbox.credentials, webhookSecret),
    '',
    `Try: ${paint('cyan', tryLine)}`,
    ...(verbose ? ['', ...everything(started, paint)] : []),
    '',
  ].join('\n');
}

/** What `--verbose` adds. */
function everything(
  { sandbox, listening, options, webhookSecret }: Started,
  paint: Paint,
): readonly string[] {
  const { credentials } = sandbox;
  const title = (text: string) => paint('bold', text);
  const others = sandbox.clients.filter(({ clientId }) => clientId !== credentials.clientId);
  return [
    ...columns(
      [
        ['Client', `${credentials.clientId}, NGN ${money(sandbox.wallet().balance)}`],
        ['Secret key', credentials.secretKey],
        ['Public key', credentials.publicKey],
        ['Webhook secret', webhookSecret],
        ['Settles', settles(options.settleAfter)],
        ['Rate limits', limits(options.rateLimits)],
        ['Times', 'UTC, here and in the responses of the service'],
        ...keyRows(options, sandbox),
      ],
      paint,
    ),
    '',
    title('A first purchase'),
    '',
    firstPurchaseCurl(listening.baseUrl, credentials),
    '',
    title('Recipients that make something happen, for every product'),
    '',
    ...wrappedColumns(triggers.map(({ recipient, description }) => [recipient, description])),
    '',
    title('Other clients'),
    '',
    ...columns(
      others.map(({ clientId, secretKey }) => [clientId, secretKey] as const),
      paint,
    ),
  ];
}

/** The same for programs, on one line. */
export function startLine({ sandbox, listening, webhookSecret }: Started): string {
  const { clientId, secretKey, publicKey } = sandbox.credentials;
  return JSON.stringify({
    type: 'start',
    at: sandbox.now,
    version,
    base_url: listening.baseUrl,
    console_url: consoleAddress(listening),
    port: listening.port,
    client_id: clientId,
    secret_key: secretKey,
    public_key: publicKey,
    webhook_secret: webhookSecret,
    seed: sandbox.seed,
    control_token: listening.controlToken,
    triggers,
  });
}
