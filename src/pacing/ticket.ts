import { callSafely } from '../utils/functions.js';
import { nameOfThrown } from '../utils/unknown.js';
import { onAbort, wait } from '../utils/wait.js';
import { limitPauseMs, type Pacer, type Ticket } from './pacer.js';
import type { Grant, RequestPriority } from './queue.js';

/** One call's ticket at a pacer that may fail. */
export interface SafeTicket {
  /**
   * Waits for the turn of one request, at most `withinMs` and until the signal is aborted, even if the pacer never responds: the time-out of a
   * call holds whatever the pacer does.
   */
  turn(withinMs: number, signal: AbortSignal | undefined): Promise<Grant>;
  /** ms until a turn would come. */
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
 * turn, because the service counts for itself and refuses without a charge.
 */
export function takeTicket(
  pacer: Pick<Pacer, 'join' | 'pause'>,
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
    turn: (withinMs, signal) => boundedTurn(ticket, withinMs, signal, log),
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

async function boundedTurn(
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
    return await Promise.race([ticket.turn(withinMs, over.signal), never]);
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
