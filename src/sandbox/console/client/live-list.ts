import { signal } from '@preact/signals';
import type { ListPage } from './resources.js';

type Id = string | number;

/** What of a list is shown, newest first. */
interface Shown<T> {
  /** Rows that are drawn together: a change of one chunk leaves the others as they are, and costs them nothing. */
  readonly chunks: readonly (readonly T[])[];
  /** New items that wait, because the list is held: rows must not move under the reader. */
  readonly waiting: readonly T[];
  /** How many items match, on all pages. */
  readonly total: number;
  /** The cursor of the next page; null when everything is shown. */
  readonly next: string | null;
}

/** A list that grows while it is looked at: new items come on top, or wait while the list is held. */
export class LiveList<T> {
  /** Undefined before the first page is there. */
  readonly state = signal<Shown<T> | undefined>(undefined);
  readonly #idOf: (item: T) => Id;
  readonly #ids = new Set<Id>();
  readonly #holds = new Set<string>();

  constructor(idOf: (item: T) => Id) {
    this.#idOf = idOf;
  }

  get isHeld(): boolean {
    return this.#holds.size > 0;
  }

  /** How many items are shown. */
  get count(): number {
    return this.state.value?.chunks.flat().length ?? 0;
  }

  /** Holds the list for a reason, or no longer; what waits is shown when the last reason is gone. */
  hold(reason: string, isHeld: boolean): void {
    if (isHeld) this.#holds.add(reason);
    else this.#holds.delete(reason);
    if (!this.isHeld) this.release();
  }

  /** The first page replaces everything. */
  load({ data, total, next }: ListPage<T>): void {
    this.#ids.clear();
    const items = this.#unknown(data);
    this.state.value = { chunks: [items], waiting: [], total: total ?? items.length, next };
  }

  /** The first page after the connection came back. While the list is held nothing moves, unless nothing of it is left there. */
  refresh(page: ListPage<T>): void {
    if (this.isHeld && page.data.some((item) => this.#ids.has(this.#idOf(item)))) {
      for (const item of page.data) this.change(item, false);
      this.renew(page);
    } else this.load(page);
  }

  /** An older page is added at the end. */
  extend({ data, next }: ListPage<T>): void {
    const { state } = this;
    if (state.value)
      state.value = { ...state.value, chunks: [...state.value.chunks, this.#unknown(data)], next };
  }

  /** The first page again: what is above the first known item is new. */
  renew({ data, total }: ListPage<T>): void {
    const known = data.findIndex((item) => this.#ids.has(this.#idOf(item)));
    this.#add(known < 0 ? data : data.slice(0, known), total);
  }

  /** An item is as it is now; a known one changes in place, another one is added if it is new. */
  change(item: T, isNew: boolean): void {
    const { state } = this;
    const id = this.#idOf(item);
    if (state.value && this.#ids.has(id)) {
      const { chunks, waiting } = state.value;
      const change = (items: readonly T[]): readonly T[] => {
        const at = items.findIndex((one) => this.#idOf(one) === id);
        return at < 0 ? items : items.with(at, item);
      };
      state.value = { ...state.value, chunks: chunks.map(change), waiting: change(waiting) };
    } else if (isNew) this.#add([item]);
  }

  /** Shows what waits. */
  release(): void {
    const { state } = this;
    if (!state.value?.waiting.length) return;
    const [first = [], ...others] = state.value.chunks;
    state.value = { ...state.value, chunks: [[...state.value.waiting, ...first], ...others], waiting: [] };
  }

  #add(data: readonly T[], total?: number | null): void {
    const { state } = this;
    if (!state.value) return;
    const items = this.#unknown(data);
    const waiting = [...items, ...state.value.waiting];
    state.value = { ...state.value, waiting, total: total ?? state.value.total + items.length };
    if (!this.isHeld) this.release();
  }

  /** The items that were not in the list; now they are. */
  #unknown(items: readonly T[]): readonly T[] {
    const added = items.filter((item) => !this.#ids.has(this.#idOf(item)));
    for (const item of added) this.#ids.add(this.#idOf(item));
    return added;
  }
}
