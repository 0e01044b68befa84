import { checkWhole, type DedupeStore, type DedupeTimes, dedupeTimes } from './dedupe.js';

/** What `memoryDedupe` is told. */
export interface MemoryDedupeOptions extends DedupeTimes {
  /** How many handled events are remembered at most; the oldest goes first (default 50,000). */
  max?: number;
}

interface Claim {
  readonly owner: string;
  readonly until: number;
}

/**
 * De-duplication within one process. Nothing survives a restart and nothing is shared: where several processes
 * receive, use `redisDedupe` or `postgresDedupe`.
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function memoryDedupe(options: MemoryDedupeOptions = {}): DedupeStore {
  const { lease, keep } = dedupeTimes(options, 'memoryDedupe', ['max']);
  const { max = 50_000 } = options;
  checkWhole('max', max, 'events');
  const claims = new Map<string, Claim>();
  /** Until when each handled key is remembered. */
  const handled = new Map<string, number>();

  const liveClaim = (key: string): Claim | undefined => {
    const claim = claims.get(key);
    return claim && claim.until > Date.now() ? claim : undefined;
  };

  /** Both maps lie in the order of their ends, so what is to be dropped comes first. */
  function sweep(): void {
    for (const [key, until] of handled) {
      if (handled.size <= max && until > Date.now()) break;
      handled.delete(key);
    }
    for (const [key, { until }] of claims) {
      if (until > Date.now()) break;
      claims.delete(key);
    }
  }

  function claim(key: string, owner: string): void {
    claims.delete(key);
    claims.set(key, { owner, until: Date.now() + lease });
  }

  return {
    lease,
    async begin(key, owner = '') {
      sweep();
      if (handled.has(key)) return 'done';
      if (claims.has(key)) return 'busy';
      claim(key, owner);
      return 'new';
    },
    async done(key) {
      claims.delete(key);
      handled.delete(key);
      handled.set(key, Date.now() + keep);
      sweep();
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
