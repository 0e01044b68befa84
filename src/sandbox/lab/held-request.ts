import type { Clock } from './clock.js';

/** A request's stretches of work between its waits, so that `advance` waits for exactly as much as has fallen due. */
export class HeldRequest {
  readonly #clock: Clock;
  #endStretch: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Delays the request by `delayMs`; false when the sandbox was reset or closed meanwhile. */
  async hold(delayMs: number): Promise<boolean> {
    if (delayMs === 0) return true;
    this.end();
    const stretch = new Promise<void>((resolve) => {
      this.#endStretch = resolve;
    });
    return this.#clock.wait(delayMs, stretch);
  }

  /** The request is over. */
  end(): void {
    this.#endStretch();
  }
}
