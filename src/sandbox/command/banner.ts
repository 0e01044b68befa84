import type { Paint } from '../../commands/terminal.js';
import { money } from '../../contract/money.js';
import { version } from '../../version.js';
import type { Listening } from '../http/listen-options.js';
import { triggers } from '../lab/triggers.js';
import type { SandboxOptions } from '../options.js';
import type { Sandbox } from '../types.js';
import { envBlock, firstPurchaseCurl } from '../words.js';

/** The port that the command takes, and that `trigger` looks at, where none is named. */
export const usualPort = 4010;

/** What the command says when it is ready. The keys are the sandbox's own: they open nothing else. */
export interface Started {
  readonly sandbox: Sandbox;
  readonly listening: Listening;
  /** What the flags and the configuration file set. */
  readonly options: SandboxOptions;
  /** The secret of the endpoint that was subscribed at the start. */
  readonly webhookSecret: string | undefined;
}

const pageAddress = ({ baseUrl }: Listening): string => new URL('/', baseUrl).href;

/** Names and values in two columns; what is undefined has no row. */
function columns(
  rows: readonly (readonly [name: string, value: string | undefined])[],
  paint: Paint,
): readonly string[] {
  const given = rows.filter(([, value]) => value !== undefined);
  const width = Math.max(...given.map(([name]) => name.length)) + 2;
  return given.map(([name, value]) => `  ${paint('dim', name.padEnd(width))}${value}`);
}

/** Lines to paste stand at the left edge, so that nothing else comes along. */
export function banner(started: Started, paint: Paint, verbose = false): string {
  const { sandbox, listening, options, webhookSecret } = started;
  const { baseUrl, port, controlToken } = listening;
  const flags = [
    port !== usualPort && ` --url ${new URL(baseUrl).origin}`,
    controlToken !== undefined && ' --control-token TOKEN',
  ].filter(Boolean);
  const rows = [
    ['Page', pageAddress(listening)],
    ['Address', baseUrl],
    ['Control token', controlToken],
    ['State', options.state],
  ] as const;
  return [
    `${paint('bold', 'billpay sandbox')} ${version}: nothing is charged. Ctrl-C ends it.`,
    '',
    ...columns(rows, paint),
    '',
    envBlock(baseUrl, sandbox.credentials, webhookSecret),
    '',
    `Try: ${paint('cyan', `npx billpay sandbox trigger success${flags.join('')}`)}`,
    ...(verbose ? ['', ...everything(started, paint)] : []),
    '',
  ].join('\n');
}

/** What `--verbose` adds. */
function everything({ sandbox, listening, options }: Started, paint: Paint): readonly string[] {
  const { credentials } = sandbox;
  const title = (text: string) => paint('bold', text);
  const others = sandbox.clients.filter(({ clientId }) => clientId !== credentials.clientId);
  return [
    ...columns(
      [
        ['Client', `${credentials.clientId}, NGN ${money(sandbox.client().balance)}`],
        ['Public key', credentials.publicKey],
        ['Settles', options.settleAfter === 'manual' ? 'by hand' : `after ${options.settleAfter ?? '1s'}`],
        ['Seed', sandbox.seed],
        ['Times', 'UTC, here and in the responses of the service'],
        ...others.map(({ clientId, secretKey }) => [clientId, secretKey] as const),
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
    ...columns(
      triggers.map(({ recipient, description }) => [recipient, description]),
      paint,
    ),
  ];
}

/** The same for programs, on one line. */
export function startLine({ sandbox, listening, webhookSecret }: Started): string {
  const { baseUrl, port, controlToken } = listening;
  const { seed, now: at, credentials } = sandbox;
  const pageUrl = pageAddress(listening);
  return JSON.stringify({
    version,
    at,
    baseUrl,
    pageUrl,
    port,
    ...credentials,
    webhookSecret,
    seed,
    controlToken,
  });
}
