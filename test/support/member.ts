import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A process that can be killed and started again. */
export class Member {
  #child: ChildProcess | undefined;
  port: number | undefined;
  done = false;

  constructor(
    readonly program: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Resolves once the process listens; rejects when it ends before that. */
  async start(): Promise<void> {
    const child = fork(this.program, {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.port = await new Promise<number | undefined>((resolve, reject) => {
      child.on('message', (said) => {
        if (said === 'done') this.done = true;
        else resolve((said as Partial<AddressInfo>).port);
      });
      child.once('exit', (code) =>
        reject(new Error(`${this.program} ended with code ${code} before it listened`)),
      );
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.port = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
