import { ConfigurationError } from '../../errors/configuration-error.js';
import { ChangeNotKept, type ChangeWriter } from '../records/commit.js';
import type { ServiceState } from '../rules/service-state.js';
import { lockState, unless } from './lock.js';
import { beginningOf, changesOf, type StateRecord, StoredThings, sizeOf, snapshotOf } from './records.js';

/**
 * A text file: its first line names the format, every other one has a checksum and a JSON list of records that are valid together, so that
 * a crash leaves all of a change or nothing. A line that was cut off can only be the last one; it was never acknowledged.
 */
const format = 'billpay-sandbox-state ';
const header = `${format}4\n`;

/** The file is written whole when it has so many records, and so many times as many as are needed. */
const minRecords = 10_000;
const maxGrowth = 4;

/** So many records are in one line of a file that is written whole. */
const recordsPerLine = 1000;

const checksumOf = (json: string | Buffer): string =>
  process.getBuiltinModule('node:zlib').crc32(json).toString(16).padStart(8, '0');

/** A state file that is locked for this process. What was written to it outlives the process, but not necessarily the machine. */
export class StateFile {
  /** What the file held when it was opened; empty once it is restored. */
  readonly stored: StoredThings;
  readonly #path: string;
  readonly #unlock: () => void;
  #handle: number | undefined;
  #isClosed = false;
  /** How many records are in the file. */
  #records = 0;
  #failure: ChangeNotKept | undefined;

  /** A file that does not exist yet is an empty one; it is made by `start`. */
  constructor(path: string) {
    const fs = process.getBuiltinModule('node:fs');
    const absolute = process.getBuiltinModule('node:path').resolve(path);
    // Writing it whole replaces the file: a link would be replaced instead of the file that it names.
    this.#path = unless('ENOENT', () => fs.realpathSync(absolute)) ?? absolute;
    this.#unlock = lockState(this.#path);
    try {
      const { O_RDWR, O_APPEND } = fs.constants;
      this.#handle = unless('ENOENT', () => fs.openSync(this.#path, O_RDWR | O_APPEND));
      this.stored = new StoredThings(this.#read());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Restores what the file held, and begins to write what happens; `current` is the state, which a reset replaces. */
  start(current: () => ServiceState, seed: string): ChangeWriter {
    const added = this.stored.restoreTo(current());
    if (this.#records === 0 || this.#isOutgrown(current())) this.#writeWhole(snapshotOf(current(), seed));
    else this.#append([...beginningOf(current(), seed, added)]);
    return {
      check: () => {
        if (this.#failure) throw this.#failure;
      },
      write: (details, timeline) => {
        const records = changesOf(details, timeline, current());
        const isReset = details.some(({ type }) => type === 'reset');
        try {
          // A change is made before it is written, so that the snapshot has it too.
          if (isReset || this.#isOutgrown(current())) this.#writeWhole(snapshotOf(current(), seed));
          else if (records.length > 0) this.#append(records);
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

  /** Every record of the file; `ConfigurationError` for a file that is none, or is damaged. What a crash has cut off is removed. */
  *#read(): Generator<StateRecord> {
    const fs = process.getBuiltinModule('node:fs');
    if (this.#handle === undefined) return;
    const content = fs.readFileSync(this.#handle);
    if (content.length === 0) return;
    if (content.toString('utf8', 0, header.length) !== header) {
      // Files are created by a rename, so that only somebody else's file can begin with anything else.
      const isOther = content.toString('utf8', 0, format.length) === format;
      const what = isOther ? 'was written by another version' : 'is not a state file';
      throw new ConfigurationError('state', `${what} of this sandbox, and is left as it is: ${this.#path}`);
    }
    let at = header.length;
    for (let end = content.indexOf(0x0a, at); end >= 0; end = content.indexOf(0x0a, at)) {
      const json = content.subarray(at + 9, end);
      if (content.toString('latin1', at, at + 8) !== checksumOf(json)) {
        throw new ConfigurationError(
          'state',
          `is damaged at byte ${at}; restore it from a copy: ${this.#path}`,
        );
      }
      const records: StateRecord[] = JSON.parse(json.toString());
      this.#records += records.length;
      yield* records;
      at = end + 1;
    }
    if (at < content.length) fs.ftruncateSync(this.#handle, at);
    // Keys and secrets are in it; a copy that somebody made may be open to everyone.
    fs.fchmodSync(this.#handle, 0o600);
  }

  #isOutgrown(state: ServiceState): boolean {
    return this.#records > minRecords && this.#records > maxGrowth * sizeOf(state);
  }

  #append(records: readonly StateRecord[]): void {
    if (this.#handle === undefined) throw new Error('the state file is closed');
    const json = JSON.stringify(records);
    const line = `${checksumOf(json)} ${json}\n`;
    process.getBuiltinModule('node:fs').appendFileSync(this.#handle, line);
    this.#records += records.length;
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
    fs.appendFileSync(this.#handle, header);
    this.#records = 0;
    const batch: StateRecord[] = [];
    for (const record of records) {
      batch.push(record);
      if (batch.length === recordsPerLine) this.#append(batch.splice(0));
    }
    this.#append(batch);
    // The rename may reach the disk before the content does.
    fs.fsyncSync(this.#handle);
    fs.renameSync(fresh, this.#path);
  }
}
