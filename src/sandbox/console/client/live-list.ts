import { batch, type Signal, signal } from '@preact/signals';
import type { ListPage } from './resources.js';

/** One item of a list, which changes in place. */
export interface Row<T> {
  readonly id: string | number;
  readonly item: Signal<T>;
}

/** Rows that are drawn together: a change of one chunk costs the others nothing. */
export interface Chunk<T> {
  readonly key: number;
  readonly rows: Signal<readonly Row<T>[]>;
}

/** How many items a page of a list has. */
export const pageSize = 50;

/** A first chunk that has grown to this length is divided. */
const maxChunk = 2 * pageSize;

/**
 * A list that grows while it is looked at, newest first: new items come on top, or wait while the list is held. Every item and every
 * chunk is a signal, so that a change draws the one row and a further page its own rows, however long the list is.
 */
export class LiveList<T> {
  readonly chunks = signal<readonly Chunk<T>[]>([]);
  /** New items that wait, because the list is held: rows must not move under the reader. */
  readonly waiting = signal<readonly Row<T>[]>([]);
  /** How many items match, on all pages. */
  readonly total = signal(0);
  /** How many are shown. */
  readonly shown = signal(0);
  /** The cursor of the next page; null when everything is shown. */
  readonly next = signal<string | null>(null);
  readonly loaded = signal(false);
  readonly #idOf: (item: T) => string | number;
  readonly #rows = new Map<string | number, Row<T>>();
  #lastKey = 0;

  constructor(idOf: (item: T) => string | number) {
    this.#idOf = idOf;
  }

  get(id: string | number): T | undefined {
    return this.#rows.get(id)?.item.value;
  }

  /** The first page replaces everything. */
  load({ data, total, next }: ListPage<T>): void {
    batch(() => {
      this.#rows.clear();
      const rows = this.#newRows(data);
      this.chunks.value = [this.#chunk(rows)];
      this.waiting.value = [];
      this.total.value = total ?? rows.length;
      this.shown.value = rows.length;
      this.next.value = next;
      this.loaded.value = true;
    });
  }

  /** An older page is added at the end. */
  extend({ data, next }: ListPage<T>): void {
    batch(() => {
      const rows = this.#newRows(data);
      if (rows.length > 0) this.chunks.value = [...this.chunks.value, this.#chunk(rows)];
      this.shown.value += rows.length;
      this.next.value = next;
    });
  }

  /** An item is as it is now; a known one changes in place, another one is added if it is new and belongs to the list. */
  change(item: T, isNew: boolean, held: boolean): void {
    const known = this.#rows.get(this.#idOf(item));
    if (known) {
      known.item.value = item;
      return;
    }
    if (!isNew) return;
    batch(() => {
      this.total.value += 1;
      const rows = this.#newRows([item]);
      // What waits is newer than what is shown, and older than this.
      if (held || this.waiting.value.length > 0) this.waiting.value = [...rows, ...this.waiting.value];
      else this.#prepend(rows);
    });
  }

  /** Shows what waits. */
  release(): void {
    if (this.waiting.value.length === 0) return;
    batch(() => {
      const rows = this.waiting.value;
      this.waiting.value = [];
      this.#prepend(rows);
    });
  }

  #prepend(rows: readonly Row<T>[]): void {
    const [first, ...others] = this.chunks.value;
    if (!first) {
      this.chunks.value = [this.#chunk(rows)];
    } else {
      const all = [...rows, ...first.rows.value];
      if (all.length <= maxChunk) first.rows.value = all;
      else {
        first.rows.value = all.slice(0, pageSize);
        this.chunks.value = [first, this.#chunk(all.slice(pageSize)), ...others];
      }
    }
    this.shown.value += rows.length;
  }

  /** Rows for the items that are not in the list. */
  #newRows(items: readonly T[]): Row<T>[] {
    const rows: Row<T>[] = [];
    for (const item of items) {
      const id = this.#idOf(item);
      if (this.#rows.has(id)) continue;
      const row = { id, item: signal(item) };
      this.#rows.set(id, row);
      rows.push(row);
    }
    return rows;
  }

  #chunk(rows: readonly Row<T>[]): Chunk<T> {
    this.#lastKey += 1;
    return { key: this.#lastKey, rows: signal(rows) };
  }
}
