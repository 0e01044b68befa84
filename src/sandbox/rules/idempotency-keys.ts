import type { Transaction } from './transactions.js';

/** The state of a key when a request with it arrives. */
export type KeyState =
  | { readonly is: 'new' }
  | { readonly is: 'in flight' }
  | { readonly is: 'used'; readonly transaction: Transaction };

/**
 * The idempotency keys of one client (docs/service.md, "Idempotency rules"). A key is in flight from the moment its
 * request is admitted until that request has its response; it stays used only if it created a transaction, so a
 * rejected request leaves it free.
 */
export class IdempotencyKeys {
  readonly #used = new Map<string, Transaction>();
  readonly #inFlight = new Set<string>();

  look(key: string): KeyState {
    if (this.#inFlight.has(key)) return { is: 'in flight' };
    const transaction = this.#used.get(key);
    return transaction ? { is: 'used', transaction } : { is: 'new' };
  }

  reserve(key: string): void {
    this.#inFlight.add(key);
  }

  use(key: string, transaction: Transaction): void {
    this.#used.set(key, transaction);
  }

  release(key: string): void {
    this.#inFlight.delete(key);
  }
}
