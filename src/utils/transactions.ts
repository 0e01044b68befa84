import { hasCode } from './unknown.js';

/** How often work is tried that a database asks to be repeated. */
const maxTries = 10;

/** Repeats work that a database rejected with one of these codes, which say that nothing of it was stored and that it may succeed now. */
export async function repeatOn<T>(codes: readonly string[], work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !hasCode(error, ...codes)) throw error;
    }
  }
}

/**
 * The handler or hook that ran in a transaction has ended that transaction by itself, or went on after the database had ended it. What was
 * committed stays, and the rest of its work is missing.
 */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';
  /** Whether something may have been committed although the change that the transaction was for is not stored. */
  readonly mayHaveCommitted: boolean;

  constructor(cause: unknown, { mayHaveCommitted = false }: { mayHaveCommitted?: boolean } = {}) {
    super(
      'the handler or hook ended the transaction by itself, or caught the error of one of its statements. What it committed stays, and the rest is rolled back. Use only the client of the hook there, do not commit, roll back or begin a transaction (db.transaction of Drizzle does), and let the errors of statements reject',
      { cause },
    );
    this.mayHaveCommitted = mayHaveCommitted;
  }
}
