import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process that buys. */
export class Buyer {
  readonly #process: ChildProcess;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;

  constructor(program: string, settings: object) {
    this.#process = spawn(process.execPath, [program], {
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
