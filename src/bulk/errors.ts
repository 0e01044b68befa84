import { errorClass } from '../errors/base.js';

/**
 * Another bulk run holds the journal. Only one run may use a journal at a time, because two would not see each other's purchases.
 *
 * @example
 * ```ts
 * if (error instanceof JournalBusyError) console.log(`process ${error.pid} is paying this list already`);
 * ```
 */
export class JournalBusyError extends /* @__PURE__ */ errorClass('JournalBusyError', 'JOURNAL_BUSY') {
  /** The process that holds it; undefined when that is not known. */
  readonly pid: number | undefined;

  constructor(path: string, pid: number | undefined) {
    super(
      pid === undefined
        ? `The journal ${path} is no longer, or not yet, held by this run: its lock file belongs to another run or was removed. Nothing more was written. Make sure that only one run uses the journal, then run again; no purchase is lost.`
        : `Another run (process ${pid}) holds the journal ${path}. Wait for it to end, or stop it; only one run may use a journal at a time.`,
    );
    this.pid = pid;
  }
}

/**
 * A file that was given as a journal holds a line that is not a journal's. It was left as it is.
 *
 * @example
 * ```ts
 * if (error instanceof JournalCorruptError) console.error(`restore the journal: line ${error.line} cannot be read`);
 * ```
 */
export class JournalCorruptError extends /* @__PURE__ */ errorClass(
  'JournalCorruptError',
  'JOURNAL_CORRUPT',
) {
  /** The number of the line, counted from 1. */
  readonly line: number;

  constructor(path: string, line: number) {
    super(
      `Line ${line} of ${path} is not a line of a journal, so the file was left unchanged. If the path is wrong, give the journal's own. If something else changed the journal, restore it: without it nobody can tell what was bought.`,
    );
    this.line = line;
  }
}
