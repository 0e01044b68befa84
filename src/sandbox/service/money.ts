/** Money is counted in kobo, whole numbers, so that sums never drift; the wire speaks NGN. */

/** NGN to kobo, rounded to the nearest: a wallet cannot hold half a kobo. */
export const toKobo = (naira: number): number => Math.round(naira * 100);

/** Kobo to NGN. */
export const toNaira = (kobo: number): number => kobo / 100;
