import { assertOption, refuseUnknownOptions } from '../../validation/options.js';

/** What a store says of a key: not seen, being handled at this moment, or handled. */
export type DedupeState = 'new' | 'busy' | 'done';

/**
 * Remembers which events have been handled. `memoryDedupe`, `redisDedupe` and `postgresDedupe` make one; any object with
 * these methods will do.
 *
 * `owner` names one run of a handler: only it may release or renew what it began.
 */
export interface DedupeStore {
  /** Claims a key for one lease. `new`: claimed, handle it. `busy`: another run holds it. `done`: handled before. */
  begin(key: string, owner?: string): Promise<DedupeState>;
  /** Marks a key as handled, whoever holds it: the effect has happened. */
  done(key: string, owner?: string): Promise<void>;
  /** Gives up a claim, so that the next delivery is handled. Does nothing to a key that is done or held by another. */
  release(key: string, owner?: string): Promise<void>;
  /** Starts the lease of a claim anew; false when the claim is no longer this owner's. Without it, slow handlers lose their claim. */
  renew?(key: string, owner?: string): Promise<boolean>;
  /** How long a claim holds without being renewed, in ms. Needed for `renew` to be called. */
  readonly lease?: number;
}

/** Times that every store can be told. */
export interface DedupeTimes {
  /** How long a claim holds when its process dies, in ms (default 60,000). Kept up while a handler runs, so it may be shorter than the slowest one. */
  lease?: number;
  /** How long a handled event is remembered, in ms (default 7 days). Keep it longer than the tolerance, or old deliveries can be replayed. */
  keep?: number;
}

const defaultLease = 60_000;
const defaultKeep = 7 * 86_400_000;

/** The times of a store, checked together with the names of its other options. */
export function dedupeTimes(
  options: DedupeTimes,
  owner: string,
  others: readonly string[],
): Required<DedupeTimes> {
  refuseUnknownOptions(options, ['lease', 'keep', ...others], owner);
  const { lease = defaultLease, keep = defaultKeep } = options;
  checkWhole('lease', lease, 'ms');
  checkWhole('keep', keep, 'ms');
  return { lease, keep };
}

/** Refuses anything but a whole number of at least 1. */
export function checkWhole(option: string, value: unknown, unit: string): void {
  assertOption(
    Number.isSafeInteger(value) && Number(value) >= 1,
    option,
    `must be a whole number of ${unit}, at least 1`,
  );
}

/** What a database answered, as a state. Anything strange is `busy`: then the delivery comes back, and nothing is doubled. */
export function stateOf(reply: unknown): DedupeState {
  const word = String(reply);
  return word === 'new' || word === 'done' ? word : 'busy';
}
