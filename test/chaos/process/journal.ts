import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** What a caller must know of an order when its process starts again. */
export interface Entry {
  readonly order: number;
  readonly key: string;
  /** Undefined until the purchase's response was stored. */
  readonly reference: string | undefined;
}

/** A caller's own store: a line for each key before its first call, a line for each reference, synced to the disk before it continues. */
export class Journal {
  readonly #file: number;
  readonly entries = new Map<number, Entry>();

  constructor(path: string) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // An incomplete line was never relied on: the call comes after it.
    for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
      const [order, key, reference] = line.split(' ');
      if (key !== undefined) this.entries.set(Number(order), { order: Number(order), key, reference });
    }
    this.#file = openSync(path, 'a');
    if (text !== '' && !text.endsWith('\n')) writeSync(this.#file, '\n');
  }

  keep(entry: Entry): void {
    const { order, key, reference } = entry;
    writeSync(this.#file, `${[order, key, reference].filter(Boolean).join(' ')}\n`);
    fsyncSync(this.#file);
    this.entries.set(order, entry);
  }
}
