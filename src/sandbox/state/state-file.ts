import { ConfigurationError } from '../../errors/configuration-error.js';
import { ChangeNotKept, type ChangeWriter } from '../records/commit.js';
import type { ServiceState } from '../rules/service-state.js';
import { lockState, unless } from './lock.js';
import { changesOf, type StateRecord, StoredThings, snapshotOf } from './records.js';

/**
 * A text file: its first line names the format, every other one has a checksum and a JSON list of records that are valid together, so that
 * a crash leaves all of a change or nothing. A line that was cut off can only be the last one; it was never acknowledged.
 */
const header = 'billpay-sandbox-state 3\n';

/** The file is written whole at each start, and when it has this size and has grown to `maxGrowth` times what it then had. */
const minWholeBytes = 16 * 1024 * 1024;
const maxGrowth = 4;

/** So many records are in one line of a file that is written whole. */
const recordsPerLine = 1000;

const checksumOf = (json: string): string =>
  process.getBuiltinModule('node:zlib').crc32(json).toString(16).padStart(8, '0');

function lineOf(records: readonly StateRecord[]): string {
  const json = JSON.stringify(records);
  return `${checksumOf(json)} ${json}\n`;
}

/** Every record of a file; `ConfigurationError` for a file that is none, or is damaged. A file that does not exist is empty. */
function* readRecords(path: string): Generator<StateRecord> {
  const fs = process.getBuiltinModule('node:fs');
  const content = unless('ENOENT', () => fs.readFileSync(path)) ?? Buffer.alloc(0);
  if (content.length === 0) return;
  if (content.toString('utf8', 0, header.length) !== header) {
    // Files are created by a rename, so that only somebody else's file can begin with anything else.
    throw new ConfigurationError(
      'state',
      `is not a state file of this sandbox, and is left as it is: ${path}`,
    );
  }
  for (let at = header.length; at < content.length; ) {
    const end = content.indexOf(0x0a, at);
    if (end < 0) return;
    const [sum, json] = [content.toString('utf8', at, at + 8), content.toString('utf8', at + 9, end)];
    if (sum !== checksumOf(json)) {
      throw new ConfigurationError('state', `is damaged at byte ${at}; restore it from a copy: ${path}`);
    }
    yield* JSON.parse(json);
    at = end + 1;
  }
}

/** A state file that is locked for this process. What was written to it outlives the process, but not necessarily the machine. */
export class StateFile {
  /** What the file held when it was opened. */
  readonly stored: StoredThings;
  readonly #path: string;
  readonly #unlock: () => void;
  #handle: number | undefined;
  #isClosed = false;
  #size = 0;
  #wholeSize = 0;
  #failure: ChangeNotKept | undefined;

  /** A file that does not exist yet is an empty one; it is made by `start`. */
  constructor(path: string) {
    const absolute = process.getBuiltinModule('node:path').resolve(path);
    // Writing it whole replaces the file: a link would be replaced instead of the file that it names.
    this.#path =
      unless('ENOENT', () => process.getBuiltinModule('node:fs').realpathSync(absolute)) ?? absolute;
    this.#unlock = lockState(this.#path);
    try {
      this.stored = new StoredThings(readRecords(this.#path));
    } catch (error) {
      this.#unlock();
      throw error;
    }
  }

  /** Begins to write what happens; `current` is the state, which a reset replaces. */
  start(current: () => ServiceState, seed: string): ChangeWriter {
    this.#writeWhole(snapshotOf(current(), seed));
    return {
      check: () => {
        if (this.#failure) throw this.#failure;
      },
      write: (details, timeline) => {
        const records = changesOf(details, timeline, current(), seed);
        if (records.length === 0) return;
        try {
          // A change is made before it is written, so that the snapshot has it too.
          if (this.#size > minWholeBytes && this.#size > this.#wholeSize * maxGrowth) {
            this.#writeWhole(snapshotOf(current(), seed));
          } else this.#append(lineOf(records));
        } catch (error) {
          // After half a line nothing may follow.
          this.#failure = new ChangeNotKept(error);
          throw this.#failure;
        }
      },
    };
  }

  /** Gives the file up; harmless when it was called before. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#handle !== undefined) process.getBuiltinModule('node:fs').closeSync(this.#handle);
    this.#handle = undefined;
    this.#unlock();
  }

  #append(text: string): void {
    if (this.#handle === undefined) throw new Error('the state file is closed');
    process.getBuiltinModule('node:fs').appendFileSync(this.#handle, text);
    this.#size += Buffer.byteLength(text);
  }

  /** Writes a new file beside the old one and renames it: at every moment one of the two is whole. */
  #writeWhole(records: Iterable<StateRecord>): void {
    const fs = process.getBuiltinModule('node:fs');
    const fresh = `${this.#path}.new`;
    // What a crash has left is removed, and never opened: in a shared folder it may be a link to a file of somebody else.
    fs.rmSync(fresh, { force: true });
    const former = this.#handle;
    this.#handle = fs.openSync(fresh, 'ax', 0o600);
    if (former !== undefined) fs.closeSync(former);
    this.#size = 0;
    this.#append(header);
    const batch: StateRecord[] = [];
    for (const record of records) {
      batch.push(record);
      if (batch.length === recordsPerLine) this.#append(lineOf(batch.splice(0)));
    }
    this.#append(lineOf(batch));
    // The rename may reach the disk before the content does.
    fs.fsyncSync(this.#handle);
    fs.renameSync(fresh, this.#path);
    this.#wholeSize = this.#size;
  }
}
