import { nameOfThrown } from '../utils/is-error.js';
import { onAbort } from '../utils/on-abort.js';
import { wait } from '../utils/wait.js';
import type { Pacer, Place } from './pacer.js';
import { pauseAsAsked } from './pause.js';
import type { RequestPriority, Turn } from './queue.js';

/** One call's place at the pacer. */
export interface PacedTurn {
  /**
   * Waits for the turn of one request, at most `withinMs` and until the signal is aborted, even if the pacer never responds: the time-out of a
   * call holds whatever the pacer does.
   */
  turn(withinMs: number, signal: AbortSignal | undefined): Promise<Turn>;
  /** ms until a turn would come. */
  forecastMs(): number;
  /** Pauses the pacer for all calls, because the service asked for it. */
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
 * Takes a place at a pacer. A pacer that fails neither ends a call nor hides what is known of its money: the request is then sent without a
 * turn, because the service counts for itself and refuses without a charge.
 */
export function takePlace(
  pacer: Pick<Pacer, 'join' | 'pause'>,
  priority: RequestPriority,
  log: PacingLog,
): PacedTurn | undefined {
  const attempt = <T>(action: () => T, fallback: T): T => {
    try {
      return action();
    } catch (error) {
      log.failed(nameOfThrown(error));
      return fallback;
    }
  };
  const place = attempt(() => pacer.join(priority), undefined);
  if (!place) return undefined;
  return {
    turn: (withinMs, signal) => boundedTurn(place, withinMs, signal, log),
    forecastMs() {
      const ms = attempt(() => place.forecastMs(), 0);
      return Number.isFinite(ms) ? ms : 0;
    },
    pause: (askedMs) => attempt(() => pauseAsAsked(pacer, askedMs, log.shortened), undefined),
  };
}

async function boundedTurn(
  place: Place,
  withinMs: number,
  signal: AbortSignal | undefined,
  log: PacingLog,
): Promise<Turn> {
  const over = new AbortController();
  const end = () => over.abort();
  const stopListening = onAbort(signal, end);
  if (signal?.aborted) end();
  try {
    const never = wait(withinMs, over.signal).then((): Turn => ({ granted: false, inMs: undefined }));
    return await Promise.race([place.turn(withinMs, over.signal), never]);
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
