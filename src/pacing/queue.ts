import { onAbort } from '../utils/on-abort.js';

/** What a request counts as: a `purchase` in both windows, a `read` in one, a `poll` (status look) in one, after all others. */
export type RequestPriority = 'purchase' | 'read' | 'poll';

/** How waiting for a turn ended. */
export type Turn =
  | { readonly granted: true }
  /** It cannot be sent in time: the turn would come in so many ms. */
  | { readonly granted: false; readonly inMs: number }
  /** Its signal aborted. */
  | { readonly granted: false; readonly inMs: undefined };

/** One that waits. */
export interface Waiter {
  readonly kind: RequestPriority;
  /** Counts the places given out, so that a retry comes back to where its call stood. */
  readonly order: number;
  /** The last moment at which a turn is of use. */
  readonly latest: number;
  readonly settle: (turn: Turn) => void;
}

type Rank = Pick<Waiter, 'kind' | 'order'>;

const isBefore = (one: Rank, other: Rank): boolean =>
  (one.kind === 'poll') === (other.kind === 'poll') ? one.order < other.order : other.kind === 'poll';

/** Those who wait, in the order of their turns: first come, first served; polls after all others. */
export class TurnQueue {
  readonly waiters: Waiter[] = [];

  /** How many of each kind stand before a place. */
  ahead(own: Rank): { purchases: number; others: number } {
    let purchases = 0;
    let others = 0;
    for (const waiter of this.waiters) {
      if (!isBefore(waiter, own)) continue;
      if (waiter.kind === 'purchase') purchases++;
      else others++;
    }
    return { purchases, others };
  }

  /**
   * Puts a place into the queue until it is settled or its signal aborts.
   *
   * @param changed - called after each coming and going.
   */
  wait(own: Rank, latest: number, signal: AbortSignal | undefined, changed: () => void): Promise<Turn> {
    return new Promise((resolve) => {
      let stopListening = () => {};
      const leave = () => {
        this.remove(waiter, { granted: false, inMs: undefined });
        changed();
      };
      const waiter: Waiter = {
        ...own,
        latest,
        settle: (turn) => {
          stopListening();
          resolve(turn);
        },
      };
      const { purchases, others } = this.ahead(own);
      this.waiters.splice(purchases + others, 0, waiter);
      if (signal?.aborted) return leave();
      stopListening = onAbort(signal, leave);
      changed();
    });
  }

  /** Takes one out with the answer it waited for. */
  remove(waiter: Waiter, turn: Turn): void {
    this.waiters.splice(this.waiters.indexOf(waiter), 1);
    waiter.settle(turn);
  }
}
