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
