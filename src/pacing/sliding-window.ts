/**
 * A sliding window: at most `limit` grants in any `periodMs`, wherever that period begins. It therefore holds whether the
 * service counts in sliding windows or in fixed ones.
 */
export class SlidingWindow {
  readonly #limit: number;
  readonly #periodMs: number;
  /** When the last `limit` grants were made, oldest first. */
  #grants: number[] = [];

  constructor(limit: number, periodMs: number) {
    this.#limit = limit;
    this.#periodMs = periodMs;
  }

  /** Counts one grant. */
  grant(now: number): void {
    this.#grants.push(now);
    if (this.#grants.length > this.#limit) this.#grants.shift();
  }

  /** The first moment at which one more can be granted, after `ahead` others that are each granted as soon as possible. */
  freeAt(now: number, ahead = 0): number {
    const rounds = Math.floor(ahead / this.#limit);
    const at = (ahead % this.#limit) + this.#grants.length - this.#limit;
    const past = this.#grants[at];
    const wait = rounds * this.#periodMs;
    return past === undefined ? now + wait : Math.max(now, past + this.#periodMs) + wait;
  }
}
