import { rateLimits as documented } from '../../contract/limits.js';
import type { ParsedRequest } from './parse-request.js';

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
    if (limit !== false && who !== undefined) rules.push({ key: `${dimension}/${who}`, limit });
  };
  add('ip', request.ip);
  add('apiKey', request.token);
  add('client', request.clientId);
  add('endpoint', request.http.path);
  const isPurchase = request.operation !== undefined && request.route?.operation.kind === 'purchase';
  if (isPurchase) add('purchases', request.clientId);
  return rules;
}

/** Seconds until a sliding window admits another request; 0 if it does now. `hits` are the admitted ones, oldest first. */
export function secondsUntilFree(hits: readonly number[], limit: number, now: number): number {
  const blocking = hits[hits.length - limit];
  if (blocking === undefined || blocking + windowMs <= now) return 0;
  return Math.max(Math.ceil((blocking + windowMs - now) / 1000), 1);
}

/** Counts requests in sliding windows of 60 seconds. */
export class RateLimiter {
  readonly #hits = new Map<string, number[]>();

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
      this.#hits.set(key, hits);
    }
    return 0;
  }
}
