import { CommandError, exitCodes, UsageError } from '../../cli/program.js';
import { untilEnded } from '../../cli/terminal.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { hasCode } from '../../utils/has-code.js';
import { readProperty } from '../../utils/read-property.js';
import { applyConfig, readConfig, readConfigFile } from '../config/config-file.js';
import type { Listening, ListenOptions } from '../http/listen-options.js';
import type { SandboxOptions } from '../options.js';
import { createSandbox } from '../sandbox.js';
import type { Sandbox } from '../types.js';
import { banner, startLine } from './banner.js';
import type { givenOptions, StartCall } from './flags.js';
import { jsonLine, readableLines } from './lines.js';

/** The keys of every start: what a `.env` file holds stays valid. They open nothing but sandboxes. */
const developmentSeed = 'development';

/** The first port that is tried where none was asked for, and how many after it. */
const firstPort = 4010;
const portsTried = 100;

type GivenOptions = ReturnType<typeof givenOptions>;

/** Runs a sandbox until the process is asked to end. */
export async function runSandbox(
  { given, around, paint, print }: StartCall,
  flags: GivenOptions,
): Promise<void> {
  const ended = untilEnded(around);
  const config = given.config === undefined ? readConfig({}) : readConfigFile(given.config);
  const options: SandboxOptions = { ...config.options, ...flags.sandbox };
  const { port: asked, ...listenOptions }: ListenOptions = { ...config.listen, ...flags.listen };
  const sandbox = withState(options.state, () =>
    createSandbox({
      seed: developmentSeed,
      // An application with a lasting database must not receive the reference of an earlier transaction again.
      references: 'unique',
      ...options,
    }),
  );
  try {
    const url = given['webhook-url'];
    const webhookSecret = url === undefined ? undefined : subscribe(sandbox, url);
    const own = url === undefined || webhookSecret === undefined ? [] : [{ url, secret: webhookSecret }];
    applyConfig(sandbox, { ...config, webhooks: [...config.webhooks, ...own] });
    const listening = await listen(sandbox, asked, listenOptions);
    const takenPort = asked === undefined && listening.port !== firstPort ? firstPort : undefined;
    const started = { sandbox, listening, options, webhookSecret, takenPort };
    print(given.json ? startLine(started) : banner(started, paint, given.verbose));
    if (given.json && takenPort !== undefined) {
      around.stderr.write(
        `billpay sandbox: port ${takenPort} is in use, so this one listens on ${listening.port}\n`,
      );
    }
    if (!given.quiet) {
      const textOf = given.json ? jsonLine : readableLines(paint);
      sandbox.onActivity((activity) => {
        const text = textOf(activity);
        if (text !== undefined) print(text);
      });
    }
    await ended;
  } finally {
    await sandbox.close();
  }
}

const isTaken = (error: unknown): boolean => hasCode(error, 'EADDRINUSE', 'EACCES');

async function listen(
  sandbox: Sandbox,
  asked: number | undefined,
  options: ListenOptions,
): Promise<Listening> {
  const last = asked ?? firstPort + portsTried;
  for (let port = asked ?? firstPort; ; port++) {
    try {
      return await sandbox.listen({ ...options, port });
    } catch (error) {
      if (hasCode(error, 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN')) {
        throw new UsageError(
          `--host ${options.host} is not an address of this machine; leave it out for 127.0.0.1`,
        );
      }
      if (!isTaken(error)) throw error;
      if (port < last) continue;
      throw new UsageError(
        asked === undefined
          ? `no port from ${firstPort} to ${last} is free; give one with --port`
          : `port ${asked} is in use or not allowed; give another, or leave --port out for a free one`,
      );
    }
  }
}

/** What opens a state file; a file that cannot be used is reported with its flag. */
function withState<T>(state: string | undefined, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const code = readProperty(error, 'code');
    if (state === undefined || typeof readProperty(error, 'syscall') !== 'string') throw error;
    const remedy = code === 'ENOENT' ? 'make its folder first' : 'choose a file that this user may write';
    throw new CommandError(exitCodes.failed, `--state ${state} cannot be used (${String(code)}): ${remedy}`);
  }
}

/** A URL that was subscribed in an earlier run with the same state file keeps its secret. */
function subscribe(sandbox: Sandbox, url: string): string {
  try {
    return sandbox.webhooks.subscribe({ url }).secret;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(`--webhook-url ${error.message.replace(/^url: /, '')}`);
  }
}
