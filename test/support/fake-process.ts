import { EventEmitter } from 'node:events';
import type { CommandProcess } from '../../src/cli/terminal.js';

/** A process for `runCommand` that remembers what was written. */
export class FakeProcess extends EventEmitter implements CommandProcess {
  readonly out = new EventEmitter();
  readonly env: Readonly<Record<string, string | undefined>> = {};
  readonly versions = process.versions;
  written = '';
  complaints = '';
  readonly stdout;
  readonly stderr = { write: (text: string) => (this.complaints += text) };

  constructor(terminal: { isTTY?: boolean; hasColors?: () => boolean } = {}) {
    super();
    this.stdout = {
      ...terminal,
      write: (text: string) => {
        this.written += text;
        this.out.emit('text');
      },
      on: (event: 'error', listener: () => void) => this.out.on(event, listener),
    };
  }

  cwd(): string {
    return process.cwd();
  }

  /** Waits until something was written. */
  async until<T>(find: (written: string) => T | undefined): Promise<T> {
    for (;;) {
      const found = find(this.written);
      if (found !== undefined) return found;
      await new Promise((resolve) => this.out.once('text', resolve));
    }
  }
}
