import { toKobo, toNaira } from '../../contract/money.js';

/** One line of a wallet's ledger. */
export interface LedgerEntry {
  /** `funding` and `refund` add to the balance, `debit` takes from it. */
  readonly kind: 'funding' | 'debit' | 'refund';
  /** NGN, always positive. */
  readonly amount: number;
  /** The balance after this entry, in NGN. */
  readonly balance: number;
  /** The idempotency_key of the purchase; undefined for funding. */
  readonly idempotency_key: string | undefined;
  /** The transaction's reference; undefined for funding. */
  readonly reference: string | undefined;
  /** When, by the sandbox's clock. */
  readonly at: Date;
}

/** A client's prepaid wallet, as `sandbox.wallet()` shows it. A live view: read it again after each call. */
export interface SandboxWallet {
  /** Whose it is. */
  readonly clientId: string;
  /** The balance, in NGN. */
  readonly balance: number;
  /** Every movement, oldest first. */
  readonly ledger: readonly LedgerEntry[];
}

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
