import { callSafely } from '../utils/functions.js';
import { nameOfThrown } from '../utils/unknown.js';
import { onAbort, wait } from '../utils/wait.js';

/**
 * How a request is counted and ordered: a `purchase` counts in both windows, a `read` in one, a `poll` (a status check) in one and behind
 * everything else.
 */
export type RequestPriority = 'purchase' | 'read' | 'poll';

/** How the wait of one request ended. */
export type Grant =
  | { readonly granted: true }
  /** The request cannot be sent in time: it would be granted in this many ms. */
  | { readonly granted: false; readonly inMs: number }
  /** It was not granted: the signal was aborted, or the pacer did not respond in time. */
  | { readonly granted: false; readonly inMs: undefined };

/** One call's number in the queue, which it keeps when it has to return for a retry. */
export interface Ticket {
  /** Waits until one request may be sent. Resolves at once when that cannot be within `withinMs`. */
  grant(withinMs: number, signal: AbortSignal | undefined): Promise<Grant>;
  /** ms until a request would be granted if the call asked for it now. */
  forecastMs(): number;
}

/** What a client needs of a pacer. */
export interface RequestPacer {
  /** Joins the queue. The client calls this. */
  join(kind: RequestPriority): Ticket;
  /** Lets nothing through for this many ms, at most 10 minutes. The client calls this on a 429 response. */
  pause(ms: number): void;
}

/**
 * The longest pause that one response may ask for, in ms: 10 minutes. A `Retry-After` in the year 9999 is a mistake of whoever wrote it, and
 * must not stop a process for good. If the service still refuses after that, it says so again.
 */
export const longestPauseMs = 600_000;

/** A pause as it is carried out: at least 0 and at most `longestPauseMs`. */
export const limitPauseMs = (ms: number): number =>
  Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), longestPauseMs);

/** A request that waits for its grant. */
export interface Waiter {
  readonly kind: RequestPriority;
  /** The number of the call's ticket. It is kept for retries, so that a retry does not queue behind later calls. */
  readonly order: number;
  /** The last moment at which a grant is of use, by `performance.now()`. */
  readonly latest: number;
  readonly settle: (grant: Grant) => void;
}

type Rank = Pick<Waiter, 'kind' | 'order'>;

const isBefore = (one: Rank, other: Rank): boolean =>
  (one.kind === 'poll') === (other.kind === 'poll') ? one.order < other.order : other.kind === 'poll';

/** The waiting requests in the order of their grants: first come, first served; polls behind everything else. */
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
   * Removes a request and settles it. False, and without effect, when it is no longer here: an abort and a refusal may reach the same
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

/** One call's ticket at a pacer that may fail. */
export interface SafeTicket {
  /**
   * Waits for the grant of one request, at most `withinMs` and until the signal is aborted, even if the pacer never responds: the time-out of a
   * call holds whatever the pacer does.
   */
  grant(withinMs: number, signal: AbortSignal | undefined): Promise<Grant>;
  /** ms until a request would be granted. */
  forecastMs(): number;
  /** Pauses the pacer for all calls as long as a response asked, and for 10 minutes at most. */
  pause(askedMs: number): void;
}

/** Where a pacer reports what does not end the call. */
export interface PacingLog {
  /** The pacer threw; `name` is the name of what it threw. */
  failed(name: string): void;
  /** A pause that was shortened. */
  shortened(message: string): void;
}

/**
 * Takes a ticket of a pacer. A pacer that fails neither ends a call nor hides what is known of its money: the request is then sent without a
 * grant, because the service counts for itself and refuses without a charge.
 */
export function takeTicket(
  pacer: RequestPacer,
  priority: RequestPriority,
  log: PacingLog,
): SafeTicket | undefined {
  /** What an asynchronous pacer rejects with is reported as well. */
  const attempt = <T>(action: () => T, fallback: T): T => {
    let result = fallback;
    callSafely(
      () => {
        result = action();
        return result;
      },
      (error) => log.failed(nameOfThrown(error)),
    );
    return result;
  };
  const ticket = attempt<Ticket | undefined>(() => pacer.join(priority), undefined);
  if (!ticket) return undefined;
  return {
    grant: (withinMs, signal) => boundedGrant(ticket, withinMs, signal, log),
    forecastMs() {
      const ms = attempt(() => ticket.forecastMs(), 0);
      return Number.isFinite(ms) ? ms : 0;
    },
    pause(askedMs) {
      const ms = limitPauseMs(askedMs);
      if (askedMs > ms) {
        const seconds = Number.isFinite(askedMs) ? `${Math.round(askedMs / 1000)} s` : 'an endless time';
        log.shortened(
          `a 429 response asked for a pause of ${seconds}; the pacer pauses for ${ms / 1000} s, its maximum`,
        );
      }
      attempt(() => pacer.pause(ms), undefined);
    },
  };
}

async function boundedGrant(
  ticket: Ticket,
  withinMs: number,
  signal: AbortSignal | undefined,
  log: PacingLog,
): Promise<Grant> {
  const over = new AbortController();
  const end = () => over.abort();
  const stopListening = onAbort(signal, end);
  if (signal?.aborted) end();
  try {
    const never = wait(withinMs, over.signal).then((): Grant => ({ granted: false, inMs: undefined }));
    return await Promise.race([ticket.grant(withinMs, over.signal), never]);
  } catch (error) {
    if (over.signal.aborted) return { granted: false, inMs: undefined };
    log.failed(nameOfThrown(error));
    return { granted: true };
  } finally {
    stopListening();
    // Removes the call from the pacer's queue, and ends the timer.
    end();
  }
}
