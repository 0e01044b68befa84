import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A folder for one run with the buyer bundled into a single file, which starts faster. */
export async function prepared(): Promise<{ folder: string; script: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'billpay-buyer-'));
  const script = join(folder, 'buyer.mjs');
  await build({
    entryPoints: [source('buyer.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    alias: { '#hmac': source('../../../src/webhooks/hmac/node.ts') },
  });
  return { folder, script, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A process that buys. */
export class Buyer {
  readonly #process: ChildProcess;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;

  constructor(script: string, settings: object) {
    this.#process = spawn(process.execPath, [script], {
      env: { ...process.env, BUYER: JSON.stringify(settings) },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.ended = once(this.#process, 'exit').then(([code, signal]) => code ?? signal);
  }

  get running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }
}
