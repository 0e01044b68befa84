import type { KnownWebhookEvent } from '../contract/events.js';
import { refuseUnknownOptions } from '../validation/options.js';
import { checkWhole } from './dedupe/dedupe.js';

/**
 * Where a receiver tells of settlements and `transactions.waitUntilSettled` hears of them, within one process.
 *
 * @example
 * ```ts
 * const events = createSettlementEvents();
 * const handler = createWebhookHandler({ secret, events, on: { ... } });
 * const transaction = await billpay.transactions.waitUntilSettled(purchase.reference, { events });
 * ```
 */
export interface SettlementEvents {
  /** Tells of a verified settlement event. The receiver calls this as soon as a delivery has verified. */
  publish(event: KnownWebhookEvent): void;
  /**
   * The settlement event of a reference: at once when it has come already and is still kept, else when it comes.
   * Rejects with the signal's reason when that aborts; nothing is left behind then.
   */
  next(reference: string, signal?: AbortSignal): Promise<KnownWebhookEvent>;
}

/** What `createSettlementEvents` is told. */
export interface SettlementEventsOptions {
  /** How many past events are kept for waits that begin later; the oldest goes first (default 1000). */
  max?: number;
}

/** Makes a `SettlementEvents`. @throws ConfigurationError for a wrong `max`. */
export function createSettlementEvents(options: SettlementEventsOptions = {}): SettlementEvents {
  refuseUnknownOptions(options, ['max'], 'createSettlementEvents');
  const { max = 1000 } = options;
  checkWhole('max', max, 'events to keep');
  const past = new Map<string, KnownWebhookEvent>();
  const waiting = new Map<string, Set<(event: KnownWebhookEvent) => void>>();

  function keep(event: KnownWebhookEvent): void {
    const { reference } = event.data;
    past.delete(reference);
    past.set(reference, event);
    for (const oldest of past.keys()) {
      if (past.size <= max) break;
      past.delete(oldest);
    }
  }

  function listen(reference: string, resolve: (event: KnownWebhookEvent) => void): () => void {
    const listeners = waiting.get(reference) ?? new Set();
    waiting.set(reference, listeners.add(resolve));
    return () => {
      listeners.delete(resolve);
      if (listeners.size === 0 && waiting.get(reference) === listeners) waiting.delete(reference);
    };
  }

  return {
    publish(event) {
      keep(event);
      const listeners = waiting.get(event.data.reference) ?? [];
      waiting.delete(event.data.reference);
      for (const resolve of listeners) resolve(event);
    },

    next(reference, signal) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const come = past.get(reference);
        if (come) return resolve(come);
        const stop = listen(reference, (event) => {
          signal?.removeEventListener('abort', abort);
          resolve(event);
        });
        const abort = () => {
          stop();
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', abort, { once: true });
        return undefined;
      });
    },
  };
}
