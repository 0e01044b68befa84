import { CommandError } from '../../commands/frame.js';
import { type CommandProcess, paintFor, untilEnded } from '../../commands/terminal.js';
import { ConfigurationError } from '../../errors/base.js';
import { hasCode } from '../../utils/unknown.js';
import { applyConfig, readConfig, readConfigFile } from '../config.js';
import type { Listening, ListenOptions } from '../http/listen-options.js';
import type { SandboxOptions } from '../options.js';
import { createSandbox } from '../sandbox.js';
import type { Sandbox } from '../types.js';
import { banner, startLine, usualPort } from './banner.js';
import { lineOf } from './lines.js';
import { type Given, optionsOf } from './options.js';

/** The keys of every start: what a `.env` file holds stays valid. They open nothing but sandboxes. */
const developmentSeed = 'development';

/** How many ports are tried, from the usual one on, where none was asked for. */
const portsTried = 100;

/** Runs a sandbox until the process is asked to end. */
export async function runSandbox(given: Given, process: CommandProcess): Promise<void> {
  const ended = untilEnded(process);
  const flags = optionsOf(given);
  const config = given.config === undefined ? readConfig({}) : readConfigFile(given.config);
  const options: SandboxOptions = { ...config.options, ...flags.sandbox };
  const { port: asked, ...listenOptions }: ListenOptions = { ...config.listen, ...flags.listen };
  const sandbox = createSandbox({
    seed: developmentSeed,
    // An application with a lasting database must not receive the reference of an earlier transaction again.
    references: 'unique',
    ...options,
  });
  const print = (text: string) => process.stdout.write(`${text}\n`);
  const complain = (text: string) => process.stderr.write(`billpay sandbox: ${text}\n`);
  try {
    const { webhookUrl: url } = given;
    const webhookSecret = url === undefined ? undefined : subscribe(sandbox, url);
    const own = url === undefined || webhookSecret === undefined ? [] : [{ url, secret: webhookSecret }];
    applyConfig(sandbox, { ...config, webhooks: [...config.webhooks, ...own] });
    const listening = await listen(sandbox, asked, listenOptions);
    const started = { sandbox, listening, options, webhookSecret };
    if (asked === undefined && listening.port !== usualPort) {
      complain(`port ${usualPort} is in use, so this one listens on ${listening.port}`);
    }
    if (sandbox.notice !== undefined) complain(sandbox.notice);
    if (given.json) print(startLine(started));
    else if (!given.quiet) {
      const paint = paintFor(process.stdout);
      print(banner(started, paint, given.verbose));
      sandbox.onActivity((activity) => {
        const line = lineOf(activity, paint);
        if (line !== undefined) print(line);
      });
    }
    await ended;
  } finally {
    await sandbox.close();
  }
}

async function listen(
  sandbox: Sandbox,
  asked: number | undefined,
  options: ListenOptions,
): Promise<Listening> {
  const last = asked ?? usualPort + portsTried;
  for (let port = asked ?? usualPort; ; port++) {
    try {
      return await sandbox.listen({ ...options, port });
    } catch (error) {
      if (hasCode(error, 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN')) {
        throw new CommandError(
          `--host ${options.host} is not an address of this machine; leave it out for 127.0.0.1`,
        );
      }
      if (!hasCode(error, 'EADDRINUSE', 'EACCES')) throw error;
      if (port < last) continue;
      throw new CommandError(
        asked === undefined
          ? `no port from ${usualPort} to ${last} is free; give one with --port`
          : `port ${asked} is in use or not allowed; give another, or leave --port out for a free one`,
      );
    }
  }
}

/** A URL that was subscribed in an earlier run with the same state file keeps its secret. */
function subscribe(sandbox: Sandbox, url: string): string {
  try {
    return sandbox.webhooks.subscribe({ url }).secret;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new CommandError(`--webhook-url ${error.message.replace(/^url: /, '')}`);
  }
}
