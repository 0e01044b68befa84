/** Amounts are added and compared in kobo, as whole numbers: 0.1 + 0.2 is not 0.3 in NGN. The wire carries NGN. */

/** NGN to kobo, rounded to the nearest. A wallet cannot hold half a kobo. */
export const toKobo = (naira: number): number => Math.round(naira * 100);

/** Kobo to NGN. */
export const toNaira = (kobo: number): number => kobo / 100;

/** `100,000.00`. Not by Intl, which takes a quarter of a command's start-up time to load. */
export const money = (naira: number): string => naira.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',');
