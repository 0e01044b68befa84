import { pauseAsAsked } from '../pacing/pause.js';
import type { RequestPriority, Turn } from '../pacing/queue.js';
import { nameOfThrown } from '../utils/is-error.js';
import type { ClientConfig } from './client-config.js';
import { clientLogger } from './client-logger.js';

/** One call's place at the pacer. */
export interface PacedTurn {
  /** Waits for the turn of one request. */
  turn(withinMs: number, signal: AbortSignal | undefined): Promise<Turn>;
  /** ms until a turn would come. */
  forecastMs(): number;
  /** Pauses the pacer for all calls, because the service asked for it. */
  pause(askedMs: number): void;
}

/**
 * Takes a place at the client's pacer. A pacer that fails neither ends a call nor hides what is known of its money: the request is then sent
 * without a turn, because the service counts for itself and refuses without a charge.
 */
export function takePlace(
  config: ClientConfig,
  operation: string,
  priority: RequestPriority,
): PacedTurn | undefined {
  const { pacer } = config;
  if (!pacer) return undefined;
  const logger = clientLogger(config);
  const failed = (error: unknown) => {
    const name = config.redactor.text(nameOfThrown(error));
    logger.error(`billpay ${operation}: the pacer failed (${name}); the call continues without it`, {
      operation,
    });
  };
  const attempt = <T>(action: () => T, fallback: T): T => {
    try {
      return action();
    } catch (error) {
      failed(error);
      return fallback;
    }
  };
  const place = attempt(() => pacer.join(priority), undefined);
  if (!place) return undefined;
  return {
    async turn(withinMs, signal) {
      try {
        return await place.turn(withinMs, signal);
      } catch (error) {
        failed(error);
        return { granted: true };
      }
    },
    forecastMs() {
      const ms = attempt(() => place.forecastMs(), 0);
      return Number.isFinite(ms) ? ms : 0;
    },
    pause: (askedMs) =>
      attempt(
        () =>
          pauseAsAsked(pacer, askedMs, (message) =>
            logger.warn(`billpay ${operation}: ${message}`, { operation }),
          ),
        undefined,
      ),
  };
}
