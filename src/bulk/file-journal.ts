import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError } from '../errors/configuration-error.js';
import { hasCode } from '../utils/has-code.js';
import { assertOption } from '../validation/options.js';
import { type FileLock, lockFile } from './file-lock.js';
import type { Journal, OpenJournal } from './journal.js';
import type { JournalLine } from './journal-format.js';
import { JournalIndex } from './journal-index.js';
import { readLines, recover } from './journal-recovery.js';
import { createWriter } from './journal-writer.js';

/**
 * A journal in a file of JSON lines, which is only ever appended to. An item's key and parameters are on disk (fsync) before its first
 * attempt, its outcome after. Tokens and PINs are never written; recipients are, so the file is created with mode 0600: keep it where your
 * orders are kept.
 *
 * While a run uses it, a lock file stands beside it (`<path>.lock`). The lock of a process that died is free at once where that can be
 * proved, otherwise within 30 s.
 *
 * A run keeps about 100 bytes of memory for each key in the file, and nothing of the items themselves.
 *
 * @throws `ConfigurationError` for a path that is empty, a symbolic link or no regular file; on opening also `JournalBusyError` while
 * another run uses it, and `JournalCorruptError` for a file that is not a journal, which stays as it is.
 *
 * @example
 * ```ts
 * const run = purchaseAll(billpay, items, { journal: fileJournal('payday.journal') });
 * const { accepted, spent } = await run.summary();
 * ```
 */
export function fileJournal(path: string): Journal {
  assertOption(
    typeof path === 'string' && path !== '',
    'path',
    "must be the journal's file, such as 'payday.journal'",
  );
  return { open: () => openJournal(path) };
}

async function openJournal(path: string): Promise<OpenJournal> {
  await refuseSpecialFile(path);
  const lock = await lockFile(path);
  let file: FileHandle | undefined;
  try {
    file = await openFile(path);
    return await journalIn(path, file, lock);
  } catch (error) {
    await file?.close();
    await lock.release();
    throw error;
  }
}

const notRegular = 'is not a regular file';
const isLink = 'is a symbolic link; give the path of the file itself, so that its lock stands beside it';

async function refuseSpecialFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  assertOption(!found.isSymbolicLink(), 'path', isLink);
  assertOption(found.isFile(), 'path', notRegular);
}

/** Opens the file, or creates it for its owner alone. A symbolic link that was put there in the meantime is refused by the system. */
async function openFile(path: string): Promise<FileHandle> {
  // Windows knows no O_NOFOLLOW.
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (hasCode(error, 'ELOOP')) throw new ConfigurationError('path', isLink);
    throw error;
  }
  try {
    const { size } = await file.stat();
    if (size === 0) await syncFolder(dirname(path));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Makes a new file's name durable. Windows does not open folders, and needs no such thing. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync().catch(() => {});
  } finally {
    await folder?.close();
  }
}

async function journalIn(path: string, file: FileHandle, lock: FileLock): Promise<OpenJournal> {
  const index = new JournalIndex();
  const size = await recover(file, path, (line) => index.apply(line));
  const writer = createWriter(file, lock);
  // Lines that this run appends are in the index already, and may be half written while the file is read.
  const lines = () => readLines(file, size, path);
  const append = async (line: JournalLine, durable: boolean) => {
    index.apply(line);
    await writer.append(line, durable);
  };

  return {
    find: (key) => index.find(key),
    async *unfinished() {
      const { started, unknown } = index.totals().counts;
      if (started + unknown === 0) return;
      for await (const line of lines()) {
        if (line.t !== 'start') continue;
        const state = index.find(line.item.idempotency_key)?.state;
        if (state === 'started' || state === 'unknown') yield line.item;
      }
    },
    async *accepted() {
      const yieldedKeys = new Set<string>();
      for await (const line of lines()) {
        if (line.t !== 'end' || line.state !== 'accepted' || yieldedKeys.has(line.key)) continue;
        const { key, reference, amount } = line;
        if (index.isRepeated(key)) yieldedKeys.add(key);
        yield { key, reference, amount, settled: index.settledStatus(reference) };
      }
    },
    totals: () => index.totals(),
    begin: (item) => append({ t: 'start', item }, true),
    end: (outcome) => append({ t: 'end', ...outcome }, false),
    settled: (settlement) => append({ t: 'settled', ...settlement }, false),
    async close() {
      try {
        await writer.close();
      } finally {
        await file.close();
        await lock.release();
      }
    },
  };
}
