import {
  type OptionShape,
  optionsOf,
  parseOptions,
  wholeNumber,
  withDefault,
} from '../../validation/options.js';
import { type DedupeStore, type DedupeTimes, dedupeTimes } from './dedupe.js';

/** Options for `memoryDedupe`. */
export interface MemoryDedupeOptions extends DedupeTimes {
  /** The maximum number of handled events to remember (default 50,000). The oldest is forgotten first. */
  max?: number | undefined;
}

const optionsSchema = () =>
  optionsOf({
    ...dedupeTimes(),
    max: withDefault(wholeNumber(1), 50_000),
  } satisfies OptionShape<MemoryDedupeOptions>);

interface Claim {
  readonly owner: string;
  readonly until: number;
}

/**
 * De-duplication within one process. Nothing survives a restart and nothing is shared: when several processes
 * receive, use `redisDedupe` or `postgresDedupe`.
 *
 * Its times are those of a monotonic clock, so a change of the system clock neither ends a claim nor forgets an event.
 *
 * @throws ConfigurationError that names the wrong option.
 * @example
 * ```ts
 * const handler = createWebhookHandler({ secret, dedupe: memoryDedupe({ max: 10_000 }), on: {} });
 * ```
 */
export function memoryDedupe(options: MemoryDedupeOptions = {}): DedupeStore {
  const { lease, keep, max } = parseOptions(optionsSchema(), options, { owner: 'memoryDedupe' });
  const claims = new Map<string, Claim>();
  /** Until when each handled key is remembered, by `performance.now()`. */
  const handled = new Map<string, number>();

  const liveClaim = (key: string): Claim | undefined => {
    const claim = claims.get(key);
    return claim && claim.until > performance.now() ? claim : undefined;
  };

  /** Both maps are ordered by the end of their entries, so the entries to delete come first. */
  function deleteExpired(): void {
    for (const [key, until] of handled) {
      if (handled.size <= max && until > performance.now()) break;
      handled.delete(key);
    }
    for (const [key, { until }] of claims) {
      if (until > performance.now()) break;
      claims.delete(key);
    }
  }

  function claim(key: string, owner: string): void {
    claims.delete(key);
    claims.set(key, { owner, until: performance.now() + lease });
  }

  return {
    lease,
    async begin(key, owner = '') {
      deleteExpired();
      if (handled.has(key)) return 'done';
      if (claims.has(key)) return 'busy';
      claim(key, owner);
      return 'new';
    },
    async done(key) {
      claims.delete(key);
      handled.delete(key);
      handled.set(key, performance.now() + keep);
      deleteExpired();
    },
    async release(key, owner = '') {
      if (claims.get(key)?.owner === owner) claims.delete(key);
    },
    async renew(key, owner = '') {
      if (liveClaim(key)?.owner !== owner) return false;
      claim(key, owner);
      return true;
    },
  };
}
