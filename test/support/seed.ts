const text = process.env['BILLPAY_TEST_SEED'] ?? '1';

/** `BILLPAY_TEST_SEED`, by default 1; undefined where it is `random`. */
export const givenSeed = text === 'random' ? undefined : Number(text);

/** A seed for one run of a test, which the test prints. */
export const seedOfRun = (): number => givenSeed ?? Math.floor(Math.random() * 2 ** 31);
