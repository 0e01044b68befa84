import { onAbort } from '../utils/wait.js';

/**
 * How a request is counted and ordered: a `purchase` counts in both windows, a `read` in one, a `poll` (a status check) in one and behind
 * everything else.
 */
export type RequestPriority = 'purchase' | 'read' | 'poll';

/** How waiting for a turn ended. */
export type Grant =
  | { readonly granted: true }
  /** The request cannot be sent in time: its turn would come in this many ms. */
  | { readonly granted: false; readonly inMs: number }
  /** No turn came: the signal was aborted, or the pacer did not respond in time. */
  | { readonly granted: false; readonly inMs: undefined };

/** A request that waits for its turn. */
export interface Waiter {
  readonly kind: RequestPriority;
  /** The number of the call's ticket. It is kept for retries, so that a retry does not queue behind later calls. */
  readonly order: number;
  /** The last moment at which a turn is of use, by `performance.now()`. */
  readonly latest: number;
  readonly settle: (grant: Grant) => void;
}

type Rank = Pick<Waiter, 'kind' | 'order'>;

const isBefore = (one: Rank, other: Rank): boolean =>
  (one.kind === 'poll') === (other.kind === 'poll') ? one.order < other.order : other.kind === 'poll';

/** The waiting requests in the order of their turns: first come, first served; polls behind everything else. */
export class TicketQueue {
  readonly #waiters: Waiter[] = [];

  /** The waiting requests, in order. */
  get waiters(): readonly Waiter[] {
    return this.#waiters;
  }

  /** Counts the requests that wait before a ticket. */
  ahead(own: Rank): { purchases: number; others: number } {
    let purchases = 0;
    let others = 0;
    for (const waiter of this.#waiters) {
      if (!isBefore(waiter, own)) continue;
      if (waiter.kind === 'purchase') purchases++;
      else others++;
    }
    return { purchases, others };
  }

  /**
   * Adds a request, which waits until it is removed or its signal is aborted.
   *
   * @param changed - called whenever a request was added or left.
   */
  wait(own: Rank, latest: number, signal: AbortSignal | undefined, changed: () => void): Promise<Grant> {
    return new Promise((resolve) => {
      let stopListening = () => {};
      const leave = () => {
        if (this.remove(waiter, { granted: false, inMs: undefined })) changed();
      };
      const waiter: Waiter = {
        ...own,
        latest,
        settle: (grant) => {
          stopListening();
          resolve(grant);
        },
      };
      const { purchases, others } = this.ahead(own);
      this.#waiters.splice(purchases + others, 0, waiter);
      if (signal?.aborted) return leave();
      stopListening = onAbort(signal, leave);
      changed();
    });
  }

  /**
   * Removes a request and settles it. False, and without effect, when it is no longer here: an abort and a refused turn may reach the same
   * request one inside the other.
   */
  remove(waiter: Waiter, grant: Grant): boolean {
    const index = this.#waiters.indexOf(waiter);
    if (index === -1) return false;
    this.#waiters.splice(index, 1);
    waiter.settle(grant);
    return true;
  }
}
