import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../frame.js';
import type { ShopSettings } from './shop.js';

/** What runs in the process of the shop. */
export interface ShopProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/** A shop that sells in a process of its own, which can be killed and started again on the same database. */
export class ShopChild {
  readonly #program: ShopProgram;
  readonly #settings: ShopSettings;
  #child: ChildProcess | undefined;
  /** Where the process receives webhooks; undefined once it has ended. */
  #port: Promise<number | undefined> = Promise.resolve(undefined);

  constructor(program: ShopProgram, settings: ShopSettings) {
    this.#program = program;
    this.#settings = settings;
  }

  start(): void {
    // In a process group of its own: the Ctrl-C that ends the command must not end it first.
    const child = fork(this.#program.file, this.#program.args, { detached: true, stdio: 'ignore' });
    this.#child = child;
    this.#port = new Promise((resolve) => {
      child.once('message', resolve);
      child.once('exit', () => resolve(undefined));
      child.once('error', () => resolve(undefined));
    });
    child.send(this.#settings, () => {});
  }

  /** Throws where the process has ended by itself. */
  check(): void {
    const { exitCode = null } = this.#child ?? {};
    if (exitCode !== null)
      throw new CommandError(`the process of the shop ended by itself, with exit code ${exitCode}`);
  }

  /** Kills the process with SIGKILL: nothing in it can clean up. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Passes a webhook on to the process, again where that is killed meanwhile, as a proxy in front of a shop does. */
  async receive(request: Request): Promise<Response> {
    const { method, headers } = request;
    const body = await request.text();
    for (let tries = 0; tries < 10; tries++) {
      const url = `http://127.0.0.1:${await this.#port}/`;
      const response = await fetch(url, { method, headers, body }).catch(() => delay(200));
      if (response) return new Response(undefined, { status: response.status });
    }
    return new Response(undefined, { status: 503 });
  }
}
