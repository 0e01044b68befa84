import { type ChildProcess, spawn } from 'node:child_process';

export interface ProgramOptions {
  readonly cwd?: string;
  /** Besides those of this process, unless `alone`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** It gets no variables but `env`. */
  readonly alone?: boolean;
}

/** A program in a process of its own, with everything that it prints. What it starts belongs to it, and ends with it. */
export class Program {
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  /** What it has printed, errors included. */
  printed = '';
  /** Resolves with its exit code, or with the signal that ended it. */
  readonly ended: Promise<number | string>;

  constructor(command: string, args: readonly string[], { cwd, env, alone = false }: ProgramOptions = {}) {
    this.#child = spawn(command, args, {
      cwd,
      detached: true,
      env: alone ? env : { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
        for (const look of this.#listeners) look();
      });
    }
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => resolve(code ?? signal ?? ''));
    });
    this.ended.catch(() => {});
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves with the match as soon as the text is printed; rejects where the program ends without it. */
  prints(expected: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = expected.exec(this.printed);
        if (!found) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      this.ended.then(
        (end) =>
          reject(new Error(`it ended with ${end} and did not print ${expected}, but: ${this.printed}`)),
        reject,
      );
      look();
    });
  }

  /** Sends a signal to it and to what it has started; it has no effect on one that has ended. */
  signal(name: NodeJS.Signals): void {
    if (this.isRunning && this.#child.pid !== undefined) process.kill(-this.#child.pid, name);
  }

  /** Ends it by a signal; resolves with its exit code, or with the signal. */
  end(name: NodeJS.Signals = 'SIGKILL'): Promise<number | string> {
    this.signal(name);
    return this.ended;
  }
}
