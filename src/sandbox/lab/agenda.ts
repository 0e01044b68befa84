/** What a scheduled task may return: `advance` waits for a promise. */
export type Task = () => unknown;

/** Something scheduled; `cancel` is harmless once it ran. */
export interface Scheduled {
  cancel(): void;
}

class Item implements Scheduled {
  cancelled = false;

  constructor(
    readonly due: number,
    readonly task: Task,
    /** What to do instead when the clock is cleared. */
    readonly onClear: (() => void) | undefined,
  ) {}

  cancel(): void {
    this.cancelled = true;
  }
}

/** How many items that were taken wait to be removed together. */
const removedTogether = 1024;

/** What is due, the earliest first; what is due at the same time in the order in which it was added. */
export class Agenda {
  /** In order. Those before `#next` were taken. */
  #items: Item[] = [];
  #next = 0;

  add(due: number, task: Task, onClear?: () => void): Item {
    const item = new Item(due, task, onClear);
    let [low, high] = [this.#next, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle]?.due ?? 0) <= due) low = middle + 1;
      else high = middle;
    }
    this.#items.splice(low, 0, item);
    return item;
  }

  /** The earliest item that was not cancelled; it stays. */
  peek(): Item | undefined {
    while (this.#items[this.#next]?.cancelled) this.#removeFirst();
    return this.#items[this.#next];
  }

  /** Takes the earliest item if it is due at `now`. */
  takeDue(now: number): Item | undefined {
    const first = this.peek();
    if (first === undefined || first.due > now) return undefined;
    this.#removeFirst();
    return first;
  }

  clear(): void {
    const items = this.#items.slice(this.#next);
    [this.#items, this.#next] = [[], 0];
    for (const item of items) if (!item.cancelled) item.onClear?.();
  }

  #removeFirst(): void {
    this.#next += 1;
    if (this.#next < removedTogether && this.#next < this.#items.length) return;
    this.#items.splice(0, this.#next);
    this.#next = 0;
  }
}
