import { batch, computed, type Signal, signal } from '@preact/signals';
import type { ListPage } from './resources.js';

type Id = string | number;

/** One item of a list, which changes in place. */
export interface Row<T> {
  readonly id: Id;
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
  /** How many items match, on all pages; undefined before the first page is there. */
  readonly total = signal<number | undefined>(undefined);
  /** How many are shown. */
  readonly shown = computed(() => this.chunks.value.reduce((sum, { rows }) => sum + rows.value.length, 0));
  /** The cursor of the next page; null when everything is shown. */
  readonly next = signal<string | null>(null);
  /** Whether the reader asked for more than the first page. */
  isExtended = false;
  readonly #idOf: (item: T) => Id;
  readonly #rows = new Map<Id, Row<T>>();
  readonly #holds = new Set<string>();
  #lastKey = 0;

  constructor(idOf: (item: T) => Id) {
    this.#idOf = idOf;
  }

  get(id: Id): T | undefined {
    return this.#rows.get(id)?.item.value;
  }

  get isHeld(): boolean {
    return this.#holds.size > 0;
  }

  /** Holds the list for a reason, or no longer; what waits is shown when the last reason is gone. */
  hold(reason: string, isHeld: boolean): void {
    if (isHeld) this.#holds.add(reason);
    else this.#holds.delete(reason);
    if (!this.isHeld) this.release();
  }

  /** The first page replaces everything. */
  load({ data, total, next }: ListPage<T>): void {
    this.isExtended = false;
    batch(() => {
      this.#rows.clear();
      const rows = this.#newRows(data);
      this.chunks.value = [this.#chunk(rows)];
      this.waiting.value = [];
      this.total.value = total ?? rows.length;
      this.next.value = next;
    });
  }

  /** An older page is added at the end. */
  extend({ data, next }: ListPage<T>): void {
    this.isExtended = true;
    batch(() => {
      const rows = this.#newRows(data);
      if (rows.length > 0) this.chunks.value = [...this.chunks.value, this.#chunk(rows)];
      this.next.value = next;
    });
  }

  /** The first page again: what is above the first known item is new. */
  renew({ data, total }: ListPage<T>): void {
    const known = data.findIndex((item) => this.#rows.has(this.#idOf(item)));
    batch(() => {
      this.#add(known < 0 ? data : data.slice(0, known));
      this.total.value = total ?? this.total.value;
    });
  }

  /** An item is as it is now; a known one changes in place, another one is added if it is new. */
  change(item: T, isNew: boolean): void {
    const known = this.#rows.get(this.#idOf(item));
    if (known) known.item.value = item;
    else if (isNew) this.#add([item]);
  }

  /** Shows what waits. */
  release(): void {
    if (this.waiting.value.length === 0) return;
    batch(() => {
      this.#prepend(this.waiting.value);
      this.waiting.value = [];
    });
  }

  #add(items: readonly T[]): void {
    batch(() => {
      const rows = this.#newRows(items);
      this.total.value = (this.total.value ?? 0) + rows.length;
      if (this.isHeld) this.waiting.value = [...rows, ...this.waiting.value];
      else this.#prepend(rows);
    });
  }

  #prepend(rows: readonly Row<T>[]): void {
    const [first, ...others] = this.chunks.value;
    const all = [...rows, ...(first?.rows.value ?? [])];
    if (!first) this.chunks.value = [this.#chunk(all)];
    else if (all.length <= maxChunk) first.rows.value = all;
    else {
      first.rows.value = all.slice(0, pageSize);
      this.chunks.value = [first, this.#chunk(all.slice(pageSize)), ...others];
    }
  }

  /** Rows for the items that are not in the list. */
  #newRows(items: readonly T[]): readonly Row<T>[] {
    const added = items.filter((item) => !this.#rows.has(this.#idOf(item)));
    return added.map((item) => {
      const row = { id: this.#idOf(item), item: signal(item) };
      this.#rows.set(row.id, row);
      return row;
    });
  }

  #chunk(rows: readonly Row<T>[]): Chunk<T> {
    this.#lastKey += 1;
    return { key: this.#lastKey, rows: signal(rows) };
  }
}
