import { billers, type Product, products } from './vocabulary.js';

/** A name or number in letters and digits, in capitals: `t2-mobile` and `T2 Mobile` are one biller. Empty where it is not text. */
export const lettersAndDigits = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase() : '';

const isBillerOf = (product: Product, name: string): boolean =>
  billers[product].some((biller) => biller === name);

/** Whether a biller is in the documented list of any product. */
export const isDocumentedBiller = (name: string): boolean =>
  products.some((product) => isBillerOf(product, name));

/** The documented billers of a product, in a sentence: `airtime has MTN, AIRTEL, GLO, 9MOBILE`. */
export const billersOf = (product: Product): string => `${product} has ${billers[product].join(', ')}`;

/**
 * What is wrong with a biller that is documented for another product and not for this one. Undefined for every other name: billers are renamed
 * and added, and only the service knows them all.
 */
export function foreignBillerProblem(product: Product, biller: unknown): string | undefined {
  const name = lettersAndDigits(biller);
  if (isBillerOf(product, name)) return undefined;
  const owners = products.filter((other) => isBillerOf(other, name));
  return owners.length === 0
    ? undefined
    : `${name} belongs to ${owners.join(' and ')}: ${billersOf(product)}`;
}

/** Whether a biller is in no documented list: it is sent, and may be misspelt. */
export const isUnlistedBiller = (biller: unknown): boolean => {
  const name = lettersAndDigits(biller);
  return name !== '' && !isDocumentedBiller(name);
};
