import { BillPayError, brand } from './base.js';

/** Another bulk run has the journal: two runs on one journal would not see each other. */
export class JournalBusyError extends BillPayError {
  static override readonly [brand]: string = 'JournalBusyError';
  declare readonly name: 'JournalBusyError';
  declare readonly code: 'JOURNAL_BUSY';
  /** The process that has it. */
  readonly pid: number;

  constructor(path: string, pid: number) {
    super(
      `Another run (process ${pid}) has the journal ${path}. Wait for it to end, or stop it; two runs on one journal would not see each other.`,
      { code: 'JOURNAL_BUSY' },
    );
    this.pid = pid;
  }
}

/** A line of a journal, not its last, cannot be read. */
export class JournalCorruptError extends BillPayError {
  static override readonly [brand]: string = 'JournalCorruptError';
  declare readonly name: 'JournalCorruptError';
  declare readonly code: 'JOURNAL_CORRUPT';
  /** Counts from 1. */
  readonly line: number;

  constructor(path: string, line: number) {
    super(
      `Line ${line} of the journal ${path} cannot be read, and it is not the last one, which a crash may tear: something else changed the file. Restore it; without it, what was bought could not be told from what was not.`,
      { code: 'JOURNAL_CORRUPT' },
    );
    this.line = line;
  }
}
