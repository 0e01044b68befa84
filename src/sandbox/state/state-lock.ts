import { ConfigurationError } from '../../errors/configuration-error.js';
import { hasCode } from '../../utils/has-code.js';
import { isRecord } from '../../utils/is-record.js';
import { processExists } from '../../utils/process-exists.js';

/** Keeps two sandboxes from writing one state file. */
export interface StateLock {
  /** The former owner may still run: it was silent, but nothing proves that it is dead. */
  readonly mayBeContested: boolean;
  /** Throws `ConfigurationError` where another sandbox has taken the file over. Asked before and after every write. */
  verify(): void;
  release(): void;
}

/** How often an owner touches its lock file, in ms. */
const beatMs = 2000;

/** A lock that was not touched for so long belongs to a process that died, or that is stopped, in ms. */
const silentMs = 10_000;

interface Owner {
  /** Unique to one acquisition. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
}

/** The locks that this process holds: after a restart in a container the process id is the same, but this set is empty. */
const held = new Set<string>();

/**
 * Takes `<path>.lock`, or throws `ConfigurationError` while its owner lives.
 *
 * A lock is created exclusively, and holds a token of its own. A dead owner's lock is replaced by an atomic rename, and only by the one
 * process that could create the claim file named after the dead token; it looks once more that the dead token is still there.
 */
export function lockState(path: string): StateLock {
  const fs = process.getBuiltinModule('node:fs');
  const { hostname } = process.getBuiltinModule('node:os');
  const file = `${path}.lock`;
  const self: Owner = { id: crypto.randomUUID(), pid: process.pid, host: hostname() };
  const created = createExclusively(file, self);
  const { handle, mayBeContested } =
    created === undefined ? replaceDead(path, file, self) : { handle: created, mayBeContested: false };
  held.add(self.id);
  const isOurs = () => readOwner(file)?.id === self.id;
  // Written through the open file: where another process has replaced the lock, only the replaced file is touched.
  const text = Buffer.from(JSON.stringify(self));
  const beat = setInterval(() => fs.write(handle, text, 0, text.length, 0, () => undefined), beatMs);
  beat.unref();
  return {
    mayBeContested,
    verify() {
      if (!isOurs()) throw new ConfigurationError('state', `was taken over by another sandbox: ${path}`);
    },
    release() {
      clearInterval(beat);
      held.delete(self.id);
      fs.closeSync(handle);
      if (isOurs()) fs.rmSync(file, { force: true });
    },
  };
}

/** Replaces a lock whose owner is dead or silent. */
function replaceDead(path: string, file: string, self: Owner): { handle: number; mayBeContested: boolean } {
  const fs = process.getBuiltinModule('node:fs');
  const refused = (why: string) => new ConfigurationError('state', `${why}: ${path}`);
  const candidate = `${file}.${self.id}`;
  const handle = createExclusively(candidate, self);
  if (handle === undefined) throw refused('was taken by another sandbox just now');
  try {
    const owner = readOwner(file);
    // Both times are those of the file system, because the clocks of two machines may differ.
    const fate = fateOf(owner, touchedMs(candidate) - touchedMs(file));
    if (fate === 'alive') {
      throw refused(
        owner
          ? `is in use by another sandbox (process ${owner.pid} on ${owner.host})`
          : 'is in use by another sandbox (which is starting)',
      );
    }
    const isReplaced = withClaim(`${file}.${owner?.id ?? 'torn'}.claim`, self, () => {
      if (readOwner(file)?.id !== owner?.id) return false;
      fs.renameSync(candidate, file);
      return true;
    });
    if (!isReplaced) throw refused('was taken by another sandbox just now');
    return { handle, mayBeContested: fate === 'silent' };
  } catch (error) {
    fs.closeSync(handle);
    fs.rmSync(candidate, { force: true });
    throw error;
  }
}

/** Runs `work` in the one process that could create the claim file; false in every other. */
function withClaim(claim: string, self: Owner, work: () => boolean): boolean {
  const fs = process.getBuiltinModule('node:fs');
  const handle = createExclusively(claim, self);
  if (handle === undefined) {
    // Its process was killed between two lines of this function; the next start succeeds.
    if (Date.now() - touchedMs(claim) > silentMs) fs.rmSync(claim, { force: true });
    return false;
  }
  try {
    return work();
  } finally {
    fs.closeSync(handle);
    fs.rmSync(claim, { force: true });
  }
}

/** Creates a lock file with its owner in it; undefined where there is one already. */
function createExclusively(file: string, owner: Owner): number | undefined {
  const fs = process.getBuiltinModule('node:fs');
  let handle: number;
  try {
    handle = fs.openSync(file, 'wx', 0o600);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined;
    throw error;
  }
  fs.writeSync(handle, JSON.stringify(owner));
  return handle;
}

/** The owner of a lock; undefined where there is no lock, or one that a crash has torn. */
function readOwner(file: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(process.getBuiltinModule('node:fs').readFileSync(file, 'utf8'));
    if (!isRecord(value)) return undefined;
    const { id, pid, host } = value;
    // The id becomes a part of a file name.
    if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) return undefined;
    return { id, pid: Number(pid), host: String(host) };
  } catch {
    return undefined;
  }
}

/** When a file was last written; 0 for a file that has gone. */
const touchedMs = (file: string): number =>
  process.getBuiltinModule('node:fs').statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What is known of an owner: `silent` where it may be dead, or a process that is stopped. */
function fateOf(owner: Owner | undefined, silenceMs: number): 'alive' | 'dead' | 'silent' {
  const { hostname } = process.getBuiltinModule('node:os');
  if (owner?.host === hostname()) {
    if (owner.pid === process.pid) return held.has(owner.id) ? 'alive' : 'dead';
    if (!processExists(owner.pid)) return 'dead';
  }
  // A process that exists but is silent may be another program, which got the id after a restart of the machine. A time in the future was
  // written before the clock was set back.
  return Math.abs(silenceMs) < silentMs ? 'alive' : 'silent';
}
