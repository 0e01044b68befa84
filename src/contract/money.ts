/** Amounts are added and compared in kobo, as whole numbers: 0.1 + 0.2 is not 0.3 in NGN. The wire carries NGN. */

/** NGN to kobo, rounded to the nearest. A wallet cannot hold half a kobo. */
export const toKobo = (naira: number): number => Math.round(naira * 100);

/** Kobo to NGN. */
export const toNaira = (kobo: number): number => kobo / 100;
