import { longestTimerMs, type OptionShape, wholeNumber, withDefault } from '../../validation/options.js';

/** The state of a key in a store: not seen before, being handled at this moment, or handled. */
export type DedupeState = 'new' | 'busy' | 'done';

/**
 * Remembers which events have been handled. `memoryDedupe`, `redisDedupe` and `postgresDedupe` create one; any other object
 * with these methods works as well.
 *
 * `owner` identifies one run of a handler: only the run that claimed a key may release it or renew its lease.
 */
export interface DedupeStore {
  /** Claims a key for one lease. `new`: claimed, handle the event. `busy`: another run holds the key. `done`: handled before. */
  begin(key: string, owner?: string): Promise<DedupeState>;
  /** Marks a key as handled, whoever holds it, because the effect has happened. */
  done(key: string, owner?: string): Promise<void>;
  /** Gives up a claim, so that the next delivery is handled. A key that is done or held by another owner stays as it is. */
  release(key: string, owner?: string): Promise<void>;
  /** Restarts the lease of a claim. False when the claim no longer belongs to this owner. Without this method, slow handlers lose their claim. */
  renew?(key: string, owner?: string): Promise<boolean>;
  /** How long a claim is valid without renewal, in ms. `renew` is called only when this is set. */
  readonly lease?: number | undefined;
}

/** The second argument of a handler. */
export interface WebhookContext {
  /** The event's key in the de-duplication store, for `postgresDedupe(...).withTransaction(client).done(key)`. */
  readonly key: string;
}

/** Handles one event, once. When it throws, the service delivers the event again; throw a `RetryLaterError` where that is expected. */
export type WebhookEventHandler<Event> = (event: Event, context: WebhookContext) => unknown;

/** Times that every store accepts. */
export interface DedupeTimes {
  /** How long a claim is valid after its process has died, in ms (default 60,000, at most 24 days). It is renewed while a handler runs, so it may be shorter than the slowest handler. */
  lease?: number | undefined;
  /** How long a handled event is remembered, in ms (default 7 days). Keep this longer than the tolerance, or old deliveries can be replayed. */
  keep?: number | undefined;
}

/** The schemas of the times, with their defaults: part of the schema of every store. */
export const dedupeTimes = () =>
  ({
    lease: withDefault(wholeNumber(1, longestTimerMs), 60_000),
    keep: withDefault(wholeNumber(1), 7 * 86_400_000),
  }) satisfies OptionShape<DedupeTimes>;

/** Converts a database's reply to a state. Anything unexpected counts as `busy`: the event is delivered again, and nothing happens twice. */
export function stateOf(reply: unknown): DedupeState {
  const word = String(reply);
  return word === 'new' || word === 'done' ? word : 'busy';
}
