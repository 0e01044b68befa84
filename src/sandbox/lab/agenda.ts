/** What a scheduled task may return: `advance` waits for a promise. */
export type Task = () => unknown;

interface Item {
  readonly due: number;
  readonly order: number;
  readonly task: Task;
  /** What to do instead when the clock is cleared. */
  readonly onClear: (() => void) | undefined;
  cancelled: boolean;
}

const isBefore = (a: Item, b: Item): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** A binary heap: the earliest item first. */
export class Agenda {
  #items: Item[] = [];
  #order = 0;

  add(due: number, task: Task, onClear?: () => void): Item {
    const item: Item = { due, order: this.#order++, task, onClear, cancelled: false };
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
    return item;
  }

  /** The earliest item that was not cancelled; it stays. */
  peek(): Item | undefined {
    while (this.#items[0]?.cancelled) this.#removeFirst();
    return this.#items[0];
  }

  /** Takes the earliest item if it is due at `now`. */
  takeDue(now: number): Item | undefined {
    const first = this.peek();
    if (first === undefined || first.due > now) return undefined;
    this.#removeFirst();
    return first;
  }

  clear(): void {
    const items = this.#items;
    this.#items = [];
    for (const item of items) if (!item.cancelled) item.onClear?.();
  }

  #removeFirst(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const [leftItem, rightItem] = [this.#items[left], this.#items[right]];
      if (leftItem === undefined) return;
      const child = rightItem !== undefined && isBefore(rightItem, leftItem) ? right : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [a, b] = [this.#items[child], this.#items[parent]];
    if (a === undefined || b === undefined || !isBefore(a, b)) return false;
    this.#items[child] = b;
    this.#items[parent] = a;
    return true;
  }
}
