import type { FileHandle } from 'node:fs/promises';
import type { FileLock } from './file-lock.js';
import { encodeLine, type JournalLine } from './journal-format.js';

/** Appends lines to a journal, in order. */
export interface JournalWriter {
  /** Resolves when the line is written, and with `durable` when it is on disk. */
  append(line: JournalLine, durable: boolean): Promise<void>;
  /** Waits for what is being written, and makes it durable. */
  close(): Promise<void>;
}

/**
 * Writes lines in batches: those that come while one batch is being written go into the next, with one fsync for all.
 *
 * The first failure ends the writer. Half a line may stand at the end of the file then, and a line behind it would make the journal
 * unreadable; the next run repairs the end.
 */
export function createWriter(file: FileHandle, lock: Pick<FileLock, 'verify'>): JournalWriter {
  let batch: string[] = [];
  let needsSync = false;
  let written: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  const flush = async (): Promise<void> => {
    const text = batch.join('');
    const sync = needsSync;
    batch = [];
    needsSync = false;
    written = undefined;
    if (failure) throw failure.error;
    try {
      await lock.verify();
      await file.appendFile(text);
      if (sync) await file.datasync();
      // Asked again: had the lock been lost in between, the next run would not know of this line, and nothing may be sent because of it.
      await lock.verify();
    } catch (error) {
      failure = { error };
      throw error;
    }
  };

  return {
    append(line, durable) {
      batch.push(encodeLine(line));
      needsSync ||= durable;
      if (!written) {
        written = writing.then(flush);
        writing = written.catch(() => {});
      }
      return written;
    },
    async close() {
      await writing;
      // A failure has been reported to the caller that waited for the line.
      if (!failure) await file.datasync();
    },
  };
}
