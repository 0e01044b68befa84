import { toKobo, toNaira } from '../contract/money.js';
import type { OrderInput } from '../orders/order.js';

/** The amount that an item names itself, in NGN; undefined for catalogue products without one, whose price is the service's. */
export const askedAmount = ({ params }: Pick<OrderInput, 'params'>): number | undefined =>
  'amount' in params ? params.amount : undefined;

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
