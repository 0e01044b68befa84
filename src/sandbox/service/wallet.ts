import { toKobo, toNaira } from '../../contract/money.js';
import type { LedgerEntry, SandboxWallet } from '../records/objects.js';

/** The transaction that an entry belongs to. */
interface Cause {
  readonly idempotency_key: string;
  readonly reference: string;
}

/** The balance moves only together with a ledger entry. Kobo internally, NGN in everything shown. */
export class Wallet implements SandboxWallet {
  readonly clientId: string;
  #balanceKobo = 0;
  #ledger: LedgerEntry[] = [];

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  get balance(): number {
    return toNaira(this.#balanceKobo);
  }

  get ledger(): readonly LedgerEntry[] {
    return this.#ledger;
  }

  toJSON(): SandboxWallet {
    return { clientId: this.clientId, balance: this.balance, ledger: this.ledger };
  }

  covers(naira: number): boolean {
    return toKobo(naira) <= this.#balanceKobo;
  }

  fund(naira: number, at: Date): LedgerEntry {
    return this.#enter('funding', naira, undefined, at);
  }

  debit(naira: number, cause: Cause, at: Date): LedgerEntry {
    return this.#enter('debit', naira, cause, at);
  }

  refund(naira: number, cause: Cause, at: Date): LedgerEntry {
    return this.#enter('refund', naira, cause, at);
  }

  /** Adds an entry that was made before. */
  restore(entry: LedgerEntry): void {
    this.#balanceKobo = toKobo(entry.balance);
    this.#ledger.push(entry);
  }

  #enter(kind: LedgerEntry['kind'], naira: number, cause: Cause | undefined, at: Date): LedgerEntry {
    const kobo = toKobo(naira);
    this.#balanceKobo += kind === 'debit' ? -kobo : kobo;
    const entry: LedgerEntry = {
      kind,
      amount: toNaira(kobo),
      balance: this.balance,
      idempotency_key: cause?.idempotency_key,
      reference: cause?.reference,
      at,
    };
    this.#ledger.push(entry);
    return entry;
  }
}
