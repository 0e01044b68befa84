import type { Transport } from './transport.js';

/** Where a `fetch` keeps a transport of its own. By name, because the ESM and CommonJS copies of this package may meet. */
export const attemptKey: unique symbol = Symbol.for('billpay.attempt');

/** The transport behind a `fetch`, where it has one. */
export function attemptOf(fetch: typeof globalThis.fetch | undefined): Transport | undefined {
  const attempt: unknown = fetch && Reflect.get(fetch, attemptKey);
  return isTransport(attempt) ? attempt : undefined;
}

const isTransport = (value: unknown): value is Transport => typeof value === 'function';
