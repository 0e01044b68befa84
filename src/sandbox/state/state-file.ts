import { ConfigurationError } from '../../errors/configuration-error.js';
import { lockState } from './state-lock.js';

/** One thing as it is after a change: its kind, its key within the kind, and its value. A later record replaces an earlier one. */
export type StateRecord = readonly [kind: string, key: string, value: unknown];

/**
 * An append-only file. Its first line names the format. Every other line is a checksum and a JSON list of records that are valid
 * together: what one request changed is in one line, so that a crash leaves all of it or nothing. A line that a crash has cut off can
 * only be the last one; it was never acknowledged, and is dropped.
 */
const header = 'billpay-sandbox-state 1\n';

/** Compaction begins when the file has this size and has grown to `maxGrowth` times its size after the last one. */
const minCompactionBytes = 16 * 1024 * 1024;
const maxGrowth = 4;

interface Waiter {
  readonly upTo: number;
  resolve(): void;
  reject(error: unknown): void;
}

const checksumOf = (json: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(json).digest('hex').slice(0, 16);

function lineOf(records: readonly StateRecord[]): string {
  const json = JSON.stringify(records);
  return `${checksumOf(json)} ${json}\n`;
}

/** The content of a state file. */
export interface StateFileContent {
  readonly records: readonly StateRecord[];
  /** Where its last whole line ends; 0 for a file that has to be made. What follows was cut off by a crash. */
  readonly length: number;
}

const noContent: StateFileContent = { records: [], length: 0 };

/** Reads every record that was acknowledged; `ConfigurationError` for a file that is none, or is damaged. */
export function readStateFile(path: string): StateFileContent {
  const fs = process.getBuiltinModule('node:fs');
  let content: Buffer;
  try {
    content = fs.readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return noContent;
    throw error;
  }
  if (content.length === 0) return noContent;
  const start = content.subarray(0, header.length).toString('utf8');
  if (start !== header) {
    // Files are created by a rename, so that only somebody else's file can begin with anything else.
    throw new ConfigurationError(
      'state',
      `is not a state file of this sandbox, and is left as it is: ${path}`,
    );
  }
  const records: StateRecord[] = [];
  let at = header.length;
  while (at < content.length) {
    const end = content.indexOf(0x0a, at);
    const line = end < 0 ? undefined : parseLine(content.toString('utf8', at, end));
    if (!line) {
      if (end >= 0 && end + 1 < content.length) {
        throw new ConfigurationError('state', `is damaged at byte ${at}; restore it from a copy: ${path}`);
      }
      break;
    }
    for (const record of line) records.push(record);
    at = end + 1;
  }
  return { records, length: records.length === 0 ? 0 : at };
}

function parseLine(line: string): readonly StateRecord[] | undefined {
  const json = line.slice(17);
  return line[16] === ' ' && checksumOf(json) === line.slice(0, 16) ? JSON.parse(json) : undefined;
}

interface StateFileOptions {
  readonly path: string;
  /** Releases the lock. */
  readonly unlock: () => void;
  /** Everything there is, for a file that is made or compacted. */
  readonly snapshot: () => Iterable<StateRecord>;
  readonly found: {
    /** How much of the file to continue after; 0 to make a new one. */
    readonly length: number;
    /** Which share of its records a later one has not replaced, from 0 to 1. */
    readonly liveShare: number;
  };
}

/** Writes records in the order in which they are added, many in one write. */
export class StateFile {
  readonly #path: string;
  readonly #unlock: () => void;
  readonly #snapshot: () => Iterable<StateRecord>;
  #handle: number;
  #size: number;
  #compactedSize: number;
  #pending: StateRecord[] = [];
  #added = 0;
  #savedCount = 0;
  #waiters: Waiter[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  /** Takes the file over: continues it, or makes it where there is none. The lock is released by `close`. */
  constructor({ path, unlock, snapshot, found }: StateFileOptions) {
    this.#path = path;
    this.#unlock = unlock;
    this.#snapshot = snapshot;
    const { handle, size } =
      found.length > 0 ? continueFile(path, found.length) : replaceFile(path, snapshot());
    this.#handle = handle;
    this.#size = size;
    this.#compactedSize = found.length > 0 ? Math.round(size * found.liveShare) : size;
  }

  /** Adds a record. It is written soon; `saved` says when. */
  add(record: StateRecord): void {
    if (this.#failure !== undefined) return;
    this.#pending.push(record);
    this.#added += 1;
    this.#writing ??= this.#write();
  }

  /** Resolves when everything added so far is on the disk; undefined when it is there already. Rejects when it cannot be written. */
  saved(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#savedCount === this.#added) return undefined;
    const upTo = this.#added;
    return new Promise((resolve, reject) => this.#waiters.push({ upTo, resolve, reject }));
  }

  /** Writes what is left, and gives the file up. */
  async close(): Promise<void> {
    await this.#writing;
    process.getBuiltinModule('node:fs').closeSync(this.#handle);
    this.#unlock();
  }

  async #write(): Promise<void> {
    // Whatever is added in this turn of the event loop goes into the same write.
    await Promise.resolve();
    try {
      while (this.#pending.length > 0) {
        const upTo = this.#added;
        if (this.#needsCompaction()) this.#compact();
        else await this.#append();
        this.#savedCount = upTo;
        this.#release(upTo);
      }
    } catch (error) {
      // After half a line nothing may follow: the next start drops it.
      this.#failure = error;
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    } finally {
      this.#writing = undefined;
    }
  }

  async #append(): Promise<void> {
    const fs = process.getBuiltinModule('node:fs');
    const line = Buffer.from(lineOf(this.#pending));
    this.#pending = [];
    await new Promise<void>((resolve, reject) => {
      const done = (error: Error | null) => (error ? reject(error) : resolve());
      fs.writev(this.#handle, [line], this.#size, (error, written) => {
        if (error) return reject(error);
        if (written < line.length) return reject(new Error('the state file could only be written in part'));
        fs.fdatasync(this.#handle, done);
      });
    });
    this.#size += line.length;
  }

  #needsCompaction(): boolean {
    return this.#size > minCompactionBytes && this.#size > this.#compactedSize * maxGrowth;
  }

  /** The snapshot holds what is pending too, because the state changes before its record is added. */
  #compact(): void {
    this.#pending = [];
    const { handle, size } = replaceFile(this.#path, this.#snapshot());
    process.getBuiltinModule('node:fs').closeSync(this.#handle);
    this.#handle = handle;
    this.#size = size;
    this.#compactedSize = size;
  }

  #release(upTo: number): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      if (waiter.upTo <= upTo) waiter.resolve();
      else this.#waiters.push(waiter);
    }
  }
}

/** Opens the file to write after its last whole line. What was read may still be on its way to the disk. */
function continueFile(path: string, length: number): { handle: number; size: number } {
  const fs = process.getBuiltinModule('node:fs');
  const handle = fs.openSync(path, 'r+');
  fs.ftruncateSync(handle, length);
  fs.fsyncSync(handle);
  return { handle, size: length };
}

/** So many records are in one line of a snapshot. */
const recordsPerLine = 1000;

/** Writes a new file beside the old one and renames it: at every moment one of the two is whole. */
function replaceFile(path: string, records: Iterable<StateRecord>): { handle: number; size: number } {
  const fs = process.getBuiltinModule('node:fs');
  const { dirname } = process.getBuiltinModule('node:path');
  const fresh = `${path}.new`;
  // What a crash has left is removed, and never opened: in a shared folder it may be a link to a file of somebody else.
  fs.rmSync(fresh, { force: true });
  const handle = fs.openSync(fresh, 'wx', 0o600);
  let size = 0;
  /** `writeFileSync` repeats its writes until all of it is written. */
  const write = (text: string) => {
    fs.writeFileSync(handle, text);
    size += Buffer.byteLength(text);
  };
  write(header);
  let batch: StateRecord[] = [];
  const flush = () => {
    if (batch.length > 0) write(lineOf(batch));
    batch = [];
  };
  for (const record of records) {
    batch.push(record);
    if (batch.length === recordsPerLine) flush();
  }
  flush();
  fs.fsyncSync(handle);
  fs.renameSync(fresh, path);
  syncDirectory(fs, dirname(path));
  return { handle, size };
}

/** The rename itself must survive a power cut. Windows cannot open a directory, and needs no such step. */
function syncDirectory(fs: typeof import('node:fs'), directory: string): void {
  try {
    const handle = fs.openSync(directory, 'r');
    fs.fsyncSync(handle);
    fs.closeSync(handle);
  } catch (error) {
    if (process.platform !== 'win32') throw error;
  }
}

/** The real path of a state file, locked for this process. */
export function claimStateFile(path: string): { readonly path: string; readonly unlock: () => void } {
  const fs = process.getBuiltinModule('node:fs');
  const { resolve } = process.getBuiltinModule('node:path');
  const absolute = resolve(path);
  // Compaction replaces the file: a link would be replaced instead of the file that it names.
  const real = fs.existsSync(absolute) ? fs.realpathSync(absolute) : absolute;
  return { path: real, unlock: lockState(real) };
}
