import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { CommandProcess } from '../../src/commands/terminal.js';

/** A stream that passes on what is written; with `isTTY` it is taken for a terminal. */
const outputTo = (take: (text: string) => void, terminal: object): Writable =>
  Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        take(String(chunk));
        done();
      },
    }),
    terminal,
  );

/** A process for commands that remembers what was written. */
export class FakeProcess extends EventEmitter implements CommandProcess {
  readonly env: Record<string, string | undefined> = {};
  readonly versions = process.versions;
  exitCode: CommandProcess['exitCode'];
  written = '';
  complaints = '';
  readonly stdout: Writable;
  readonly stderr: Writable;

  constructor(terminal: { isTTY?: boolean; columns?: number; hasColors?: () => boolean } = {}) {
    super();
    this.stdout = outputTo((text) => {
      this.written += text;
      this.stdout.emit('text');
    }, terminal);
    this.stderr = outputTo((text) => {
      this.complaints += text;
    }, terminal);
  }

  cwd(): string {
    return process.cwd();
  }

  /** Waits until something was written. */
  async until<T>(find: (written: string) => T | undefined): Promise<T> {
    for (;;) {
      const found = find(this.written);
      if (found !== undefined) return found;
      await new Promise((resolve) => this.stdout.once('text', resolve));
    }
  }
}
