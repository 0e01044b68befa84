import type { KnownWebhookEvent } from '../contract/events.js';
import { onAbort } from '../utils/on-abort.js';
import { checkOptions, wholeNumberRule } from '../validation/options.js';

/**
 * Connects a receiver to `transactions.waitUntilSettled` within one process: the receiver publishes each settlement, and a
 * wait ends as soon as its settlement has been published.
 *
 * @example
 * ```ts
 * const events = createSettlementEvents();
 * const handler = createWebhookHandler({ secret, events, on });
 * const transaction = await billpay.transactions.waitUntilSettled(purchase.reference, { events });
 * ```
 */
export interface SettlementEvents {
  /** Publishes a settlement event. The receiver calls this as soon as it has verified a delivery. */
  publish(event: KnownWebhookEvent): void;
  /**
   * Resolves to the settlement event of a reference: at once when it was published before and is still kept, otherwise when it
   * is published. Rejects with the signal's reason when the signal aborts.
   */
  next(reference: string, signal?: AbortSignal): Promise<KnownWebhookEvent>;
}

/** Options for `createSettlementEvents`. */
export interface SettlementEventsOptions {
  /** The maximum number of past events to keep for waits that begin later (default 1000). The oldest is dropped first. */
  max?: number | undefined;
}

/**
 * Creates a `SettlementEvents`: a receiver publishes to it, and `waitUntilSettled` ends as soon as the webhook arrives.
 *
 * @throws ConfigurationError for a wrong `max`.
 * @example
 * ```ts
 * const events = createSettlementEvents();
 * const handler = createWebhookHandler({ secret, on, events });
 * const transaction = await billpay.transactions.waitUntilSettled(reference, { events });
 * ```
 */
export function createSettlementEvents(options: SettlementEventsOptions = {}): SettlementEvents {
  const { max = 1000 } = checkOptions(options, { max: wholeNumberRule(1) }, 'createSettlementEvents');
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
      if (signal?.aborted) return Promise.reject(signal.reason);
      const pastEvent = past.get(reference);
      if (pastEvent) return Promise.resolve(pastEvent);
      return new Promise((resolve, reject) => {
        const stopListening = listen(reference, (event) => {
          removeAbortCallback();
          resolve(event);
        });
        const removeAbortCallback = onAbort(signal, () => {
          stopListening();
          reject(signal?.reason);
        });
      });
    },
  };
}
