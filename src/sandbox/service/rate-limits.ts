import { rateLimits as documented } from '../../contract/vocabulary.js';
import type { ParsedRequest } from './request.js';

/** Requests per 60 seconds on each dimension; `false` switches one off. */
export interface SandboxRateLimits {
  /** Per sending address (documented default 60). */
  readonly ip?: number | false;
  /** Per bearer token (documented default 100). */
  readonly apiKey?: number | false;
  /** Per client_id (documented default 100). */
  readonly client?: number | false;
  /** Per endpoint, shared across all callers (off by default, as documented). */
  readonly endpoint?: number | false;
  /** Purchases per client_id (documented default 20). */
  readonly purchases?: number | false;
}

/** One limit that a request falls under. */
export interface Rule {
  /** Dimension and caller, such as `ip/127.0.0.1`. */
  readonly key: string;
  readonly limit: number;
}

const windowMs = documented.ip.windowSeconds * 1000;

/** The documented limits. */
export const documentedRateLimits: Required<SandboxRateLimits> = {
  ip: documented.ip.limit,
  apiKey: documented.apiKey.limit,
  client: documented.client.limit,
  endpoint: false,
  purchases: documented.purchases.limit,
};

/** The limits that a request falls under, by what it claims about its sender. */
export function rulesFor(request: ParsedRequest, limits: Required<SandboxRateLimits>): Rule[] {
  const rules: Rule[] = [];
  const add = (dimension: keyof SandboxRateLimits, who: string | undefined) => {
    const limit = limits[dimension];
    if (limit !== false && who !== undefined) rules.push({ key: `${dimension}/${shortened(who)}`, limit });
  };
  add('ip', request.ip);
  add('apiKey', request.token);
  add('client', request.clientId);
  add('endpoint', request.route && request.path);
  const isPurchase = request.operation !== undefined && request.route?.operation.kind === 'purchase';
  if (isPurchase) add('purchases', request.clientId);
  return rules;
}

/** What a caller claims may be of any length, and is kept for a minute. */
const shortened = (who: string): string =>
  who.length <= 100 ? who : `${who.slice(0, 50)}…${who.slice(-50)}`;

/** Seconds until a sliding window admits another request; 0 if it does now. `hits` are the admitted ones, oldest first. */
export function secondsUntilFree(hits: readonly number[], limit: number, now: number): number {
  const blocking = hits[hits.length - limit];
  if (blocking === undefined || blocking + windowMs <= now) return 0;
  return Math.max(Math.ceil((blocking + windowMs - now) / 1000), 1);
}

/** How many callers are counted at most; of more, those that came least recently begin anew. */
const maxCallers = 10_000;

/** Counts requests in sliding windows of 60 seconds. */
export class RateLimiter {
  /** When each caller was admitted, the caller that came least recently first. */
  readonly #hits = new Map<string, number[]>();

  /** How many callers are counted. */
  get callers(): number {
    return this.#hits.size;
  }

  /** Admits and counts a request, or says in how many seconds it may come back; one that is refused counts nowhere. */
  admit(rules: readonly Rule[], now: number): number {
    let seconds = 0;
    for (const { key, limit } of rules) {
      seconds = Math.max(seconds, secondsUntilFree(this.#hits.get(key) ?? [], limit, now));
    }
    if (seconds > 0) return seconds;
    for (const { key, limit } of rules) {
      const hits = this.#hits.get(key) ?? [];
      if (hits.push(now) > limit) hits.shift();
      this.#hits.delete(key);
      this.#hits.set(key, hits);
    }
    this.#forget(now);
    return 0;
  }

  #forget(now: number): void {
    for (const [key, hits] of this.#hits) {
      const isOver = (hits.at(-1) ?? 0) + windowMs <= now;
      if (!isOver && this.#hits.size <= maxCallers) return;
      this.#hits.delete(key);
    }
  }
}
