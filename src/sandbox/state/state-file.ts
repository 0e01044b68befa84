import { ConfigurationError } from '../../errors/base.js';
import type { SandboxState } from '../http/serve.js';
import type { ActivityDetail } from '../records/changes.js';
import { lockState, unless } from './pid-file.js';
import { beginningOf, changesOf, type StateRecord, StoredThings, snapshotOf } from './records.js';

/**
 * A text file that is appended to. Its first line names the format; each other one is a JSON list of the records of one change, so that a
 * crash leaves all of a change or nothing. A line that was cut off can only be the last one; it was never acknowledged.
 */
const format = '{"format":"billpay-sandbox-state"';
const header = `${format},"version":5}\n`;

/** A file is written anew at the start when it has so many times as many records as are needed. */
const maxGrowth = 2;

/** So many records are in one line of a file that is written anew. */
const recordsPerLine = 1000;

const lineOf = (records: readonly StateRecord[]): string => `${JSON.stringify(records)}\n`;

/** A state file that is locked for this process. What was written to it outlives the process, but not necessarily the machine. */
export class StateFile {
  /** What the file held when it was opened; empty once it is restored. */
  readonly stored = new StoredThings();
  readonly #path: string;
  #unlock: (() => void) | undefined;
  #handle: number | undefined;

  constructor(path: string) {
    this.#path = fileAt(path);
    this.#unlock = lockState(this.#path);
    try {
      this.#handle = process.getBuiltinModule('node:fs').openSync(this.#path, 'a+', 0o600);
      this.#read();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Restores what the file held; returns what writes each change from then on, and what became of what waited where the file's clock was
   * ahead. `current` is the state, which a reset replaces.
   */
  start(current: () => SandboxState, seed: string) {
    const { records } = this.stored;
    const { added, kept, notice } = this.stored.restoreTo(current());
    const isCompacted = records > maxGrowth * kept && this.#compact(snapshotOf(current(), seed));
    if (!isCompacted) this.#append([...beginningOf(current(), seed, added)]);
    const write = (details: readonly ActivityDetail[]): void => {
      const changes = changesOf(details, current());
      const isReset = details.some(({ type }) => type === 'reset');
      const all = isReset ? [['reset', null, null] as const, ...snapshotOf(current(), seed)] : changes;
      if (all.length > 0) this.#append(all);
    };
    return { write, notice };
  }

  /** Gives the file up; harmless when it was called before. */
  close(): void {
    if (this.#handle !== undefined) process.getBuiltinModule('node:fs').closeSync(this.#handle);
    this.#handle = undefined;
    this.#unlock?.();
    this.#unlock = undefined;
  }

  /** Reads every record; `ConfigurationError` for a file that is none, or is damaged. What a crash has cut off is removed. */
  #read(): void {
    const fs = process.getBuiltinModule('node:fs');
    const handle = Number(this.#handle);
    const content = fs.readFileSync(handle);
    const refuse = (problem: string): never => {
      throw new ConfigurationError('state', `${problem}: ${this.#path}`);
    };
    // Also where a crash has cut off the first line.
    if (header.startsWith(content.toString())) {
      fs.ftruncateSync(handle);
      fs.appendFileSync(handle, header);
      return;
    }
    if (content.toString('utf8', 0, header.length) !== header) {
      const isOther = content.toString('utf8', 0, format.length) === format;
      refuse(
        `${isOther ? 'was written by another version' : 'is not a state file'} of this sandbox, and is left as it is`,
      );
    }
    let at = header.length;
    for (let end = content.indexOf(0x0a, at); end >= 0; end = content.indexOf(0x0a, at)) {
      try {
        this.stored.add(JSON.parse(content.toString('utf8', at, end)));
      } catch {
        refuse(`is damaged at byte ${at}; restore it from a copy`);
      }
      at = end + 1;
    }
    if (at < content.length) fs.ftruncateSync(handle, at);
    // Keys and secrets are in it; a copy that somebody made may be open to everyone.
    fs.fchmodSync(handle, 0o600);
  }

  #append(records: readonly StateRecord[]): void {
    if (this.#handle === undefined) throw new Error('the state file is closed');
    process.getBuiltinModule('node:fs').appendFileSync(this.#handle, lineOf(records));
  }

  /**
   * Writes a new file beside the old one and renames it: at every moment one of the two is whole. False where that cannot be done, such as
   * for a file that is a mount point; the old one serves as well.
   */
  #compact(records: Iterable<StateRecord>): boolean {
    const fs = process.getBuiltinModule('node:fs');
    const fresh = `${this.#path}.new`;
    // What a crash has left is removed, and never opened: in a shared folder it may be a link to a file of somebody else.
    fs.rmSync(fresh, { force: true });
    const handle = fs.openSync(fresh, 'ax', 0o600);
    try {
      fs.appendFileSync(handle, header);
      const all = [...records];
      while (all.length > 0) fs.appendFileSync(handle, lineOf(all.splice(0, recordsPerLine)));
      // The rename may reach the disk before the content does.
      fs.fsyncSync(handle);
      fs.renameSync(fresh, this.#path);
    } catch {
      fs.closeSync(handle);
      fs.rmSync(fresh, { force: true });
      return false;
    }
    fs.closeSync(Number(this.#handle));
    this.#handle = handle;
    return true;
  }
}

/** The regular file that a path names, also where it is to be made; `ConfigurationError` for anything else, which is left as it is. */
function fileAt(path: string): string {
  const fs = process.getBuiltinModule('node:fs');
  const { resolve, dirname, basename, join } = process.getBuiltinModule('node:path');
  const refuse = (problem: string): never => {
    throw new ConfigurationError('state', problem);
  };
  const given = resolve(path);
  const folder = dirname(given);
  const isThere = fs.lstatSync(given, { throwIfNoEntry: false }) !== undefined;
  // Through all links: by whatever name it is given, a file has one pid file.
  const real = unless('ENOENT', () => fs.realpathSync(isThere ? given : folder));
  if (real === undefined)
    return refuse(
      isThere
        ? `is a link to a file that does not exist: make an empty file there, or remove ${given}`
        : `is in a folder that does not exist: make ${folder} first`,
    );
  if (!isThere) return join(real, basename(given));
  const found = fs.statSync(real);
  if (found.isFile()) return real;
  const kind = found.isDirectory() ? 'a folder' : 'a device, a pipe or a socket';
  return refuse(`must be a regular file, and ${real} is ${kind}; it is left as it is`);
}
