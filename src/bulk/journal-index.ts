import { toKobo, toNaira } from '../contract/money.js';
import { fingerprint } from './item.js';
import { type JournalState, type JournalTotals, journalStates } from './journal.js';
import type { JournalLine } from './journal-format.js';

/** What a run remembers of a journal's lines: about 100 bytes for each key, and nothing of the items themselves. */
export class JournalIndex {
  /** A key's fingerprint (48 bits) and state (3 bits) in one number, because a journal may well hold a million keys. */
  readonly #packed = new Map<string, number>();
  readonly #counts: Record<JournalState, number> = {
    started: 0,
    accepted: 0,
    refused: 0,
    unknown: 0,
    deferred: 0,
  };
  readonly #settled = new Map<string, string>();
  /** Keys whose sale is written down more than once, as a resumed run may do. */
  readonly #repeated = new Set<string>();
  #acceptedKobo = 0;

  /** The state of a key, and the fingerprint of the item that was started under it. */
  find(key: string): { readonly state: JournalState; readonly fingerprint: number } | undefined {
    const packed = this.#packed.get(key);
    if (packed === undefined) return undefined;
    return { state: journalStates[packed % 8] ?? 'started', fingerprint: Math.floor(packed / 8) };
  }

  /** The status that a reference was seen settled with. */
  settledStatus(reference: string): string | undefined {
    return this.#settled.get(reference);
  }

  /** Whether a key's sale is written down more than once. */
  isRepeated(key: string): boolean {
    return this.#repeated.has(key);
  }

  totals(): JournalTotals {
    return { counts: { ...this.#counts }, acceptedAmount: toNaira(this.#acceptedKobo) };
  }

  /** Takes in the next line of the journal. */
  apply(line: JournalLine): void {
    if (line.t === 'start') {
      this.#put(line.item.idempotency_key, fingerprint(line.item), 'started');
    } else if (line.t === 'settled') {
      this.#settled.set(line.reference, line.status);
    } else {
      const before = this.find(line.key);
      this.#put(line.key, before?.fingerprint ?? 0, line.state);
      if (line.state !== 'accepted') return;
      if (before?.state === 'accepted') this.#repeated.add(line.key);
      else this.#acceptedKobo += toKobo(line.amount);
    }
  }

  #put(key: string, itemFingerprint: number, state: JournalState): void {
    const before = this.find(key);
    if (before) this.#counts[before.state]--;
    this.#counts[state]++;
    this.#packed.set(key, itemFingerprint * 8 + journalStates.indexOf(state));
  }
}
