import { toKobo, toNaira } from '../contract/money.js';
import type { Purchase } from '../contract/responses.js';
import type { BulkItem } from './item.js';
import { isAmount } from './journal-format.js';

/** The amount that an item names itself, in NGN; undefined for catalogue products without one, whose price is the service's. */
export const askedAmount = ({ params }: BulkItem): number | undefined =>
  'amount' in params ? params.amount : undefined;

/**
 * What a purchase charged, in NGN. The response may lack the amount, or hold something that is no amount: then it is what the item asked
 * for, so that a budget counts it. 0 only when neither is known.
 */
export function chargedAmount(item: BulkItem, { amount }: Pick<Purchase, 'amount'>): number {
  const reported: unknown = amount;
  return isAmount(reported) ? reported : (askedAmount(item) ?? 0);
}

/** Adds up amounts in NGN, in kobo inside, so that no fraction is lost. */
export class Sum {
  #kobo = 0;

  add(amount: number): void {
    this.#kobo += toKobo(amount);
  }

  get total(): number {
    return toNaira(this.#kobo);
  }
}
