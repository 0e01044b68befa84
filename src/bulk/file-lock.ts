import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { hasCode } from '../utils/has-code.js';
import { wait } from '../utils/wait.js';
import { JournalBusyError } from './errors.js';
import { describeSelf, fateOf, heldIds, type LockOwner, parseOwner } from './lock-owner.js';

/** A lock that is held. */
export interface FileLock {
  /** Rejects with `JournalBusyError` once the lock is no longer ours. Asked before and after every write. */
  verify(): Promise<void>;
  /** Gives the lock up. */
  release(): Promise<void>;
}

/** Times of the lock, in ms. `silenceMs` and `trustMs` together stay well under the 30 s after which a dead owner's lock must be free. */
export interface LockTimes {
  /** How often an owner touches its lock file. */
  readonly beatMs: number;
  /** How long a lock must stay untouched before its owner, of whom nothing else can be learned, counts as dead. */
  readonly silenceMs: number;
  /** How long an owner relies on its last check. A silent owner that wakes up has noticed its loss after this time. */
  readonly trustMs: number;
}

export const defaultTimes: LockTimes = { beatMs: 2000, silenceMs: 10_000, trustMs: 8000 };

/**
 * Takes the lock file beside a file (`<path>.lock`), or rejects with `JournalBusyError` while its owner lives.
 *
 * A lock file is created exclusively, and holds a token of its own. A dead owner's lock is replaced by an atomic rename, and only by the one
 * process that could create the claim file named after the dead token; it looks once more that the dead token is still there. A token is
 * dead at once where the system proves that its process is gone; otherwise (another machine, another container) once the lock has not been
 * touched for `silenceMs`, measured by the clock of the process that waits, and then `trustMs` must pass before the lock is used: should the silent
 * owner have woken up, it has noticed by then.
 */
export async function lockFile(path: string, times: LockTimes = defaultTimes): Promise<FileLock> {
  const lock = `${path}.lock`;
  const self = await describeSelf();
  heldIds().add(self.id);
  try {
    const { handle, mayBeContested } = await acquire(path, lock, self, times);
    const held = hold(path, lock, self, handle, times);
    if (mayBeContested) await wait(times.trustMs, undefined);
    await held.verify();
    return held;
  } catch (error) {
    heldIds().delete(self.id);
    throw error;
  }
}

/** A lock file as it was found. */
interface FoundLock {
  /** The owner's token; made up from the file itself when its text is torn. */
  readonly id: string;
  readonly owner: LockOwner | undefined;
  readonly touchedMs: number;
}

/** A lock file that was just created. */
interface AcquiredLock {
  readonly handle: FileHandle;
  /** Another process may rely on its last check for `trustMs`: a former owner that was only silent, or a rival for a dead owner's lock. */
  readonly mayBeContested: boolean;
}

async function acquire(path: string, lock: string, self: LockOwner, times: LockTimes): Promise<AcquiredLock> {
  for (;;) {
    const handle = await createExclusively(lock, self);
    if (handle) return { handle, mayBeContested: false };
    const replaced = await replaceDead(path, lock, self, times);
    if (replaced) return replaced;
  }
}

/** Replaces a lock file whose owner is dead. Undefined when the file changed in the meantime: look again. Rejects when the owner lives. */
async function replaceDead(
  path: string,
  file: string,
  self: LockOwner,
  times: LockTimes,
): Promise<AcquiredLock | undefined> {
  const dead = await findLock(file);
  if (!dead) return undefined;
  const fate = dead.owner ? await fateOf(dead.owner) : 'unknown';
  if (fate === 'alive') throw new JournalBusyError(path, dead.owner?.pid);
  if (fate === 'unknown' && !(await staysSilent(path, file, dead, times))) return undefined;

  const claimFile = `${file}.${dead.id}`;
  const claim = await createExclusively(claimFile, self);
  // A claim may itself have been left behind, by a process that died over it.
  const claimHandle = claim ?? (await replaceDead(path, claimFile, self, times))?.handle;
  if (!claimHandle) return undefined;
  const isClaimOurs = async () => (await findLock(claimFile))?.id === self.id;
  try {
    const lookedAt = readClocks();
    const now = await findLock(file);
    if (now?.id !== dead.id || now.touchedMs !== dead.touchedMs) return undefined;
    const handle = await replaceFile(file, self);
    // Had this process been stopped before the rename, it may have replaced a rival that took the claim meanwhile and holds the lock.
    const wasStopped = msSince(lookedAt) >= times.trustMs / 2;
    return { handle, mayBeContested: fate === 'unknown' || wasStopped || !(await isClaimOurs()) };
  } finally {
    await claimHandle.close();
    if (await isClaimOurs()) await rm(claimFile, { force: true });
  }
}

async function replaceFile(file: string, self: LockOwner): Promise<FileHandle> {
  const candidate = `${file}.${self.id}.new`;
  await rm(candidate, { force: true });
  const handle = await open(candidate, 'wx', 0o600);
  try {
    await writeOwner(handle, self);
    await rename(candidate, file);
    return handle;
  } catch (error) {
    await handle.close();
    await rm(candidate, { force: true });
    throw error;
  }
}

/** Watches a lock whose owner's fate is unknown. True when it stays untouched; rejects as soon as its owner touches it. */
async function staysSilent(
  path: string,
  file: string,
  found: FoundLock,
  { beatMs, silenceMs }: LockTimes,
): Promise<boolean> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < silenceMs) {
    await wait(Math.min(beatMs, 250), undefined);
    const now = await findLock(file);
    if (now?.id !== found.id) return false;
    if (now.touchedMs !== found.touchedMs) throw new JournalBusyError(path, found.owner?.pid);
  }
  return true;
}

/** Both clocks: the monotonic one stops while some virtual machines do, the other is set by people. */
interface Clocks {
  readonly monotonic: number;
  readonly wall: number;
}

const readClocks = (): Clocks => ({ monotonic: performance.now(), wall: Date.now() });

const msSince = (past: Clocks): number =>
  Math.max(performance.now() - past.monotonic, Date.now() - past.wall);

/** Keeps a lock alive until it is released. It is not relied on before its first verification. */
function hold(
  path: string,
  lock: string,
  self: LockOwner,
  handle: FileHandle,
  { beatMs, trustMs }: LockTimes,
): FileLock {
  let verifiedAt: Clocks | undefined;
  let lost = false;
  let beating: Promise<void> | undefined;

  const isTrusted = () => verifiedAt !== undefined && msSince(verifiedAt) < trustMs;
  const beat = async () => {
    const startedAt = readClocks();
    const now = new Date();
    await handle.utimes(now, now);
    // In this order: a process that takes the lock over renames first, so either it sees the touch or this sees its token.
    if ((await findLock(lock))?.id !== self.id) lost = true;
    else verifiedAt = startedAt;
  };
  /** A beat that fails verifies nothing: `verify` then repeats it, and rejects if it has to. */
  const beatOnce = () => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    return beating;
  };
  beatOnce().catch(() => {});
  const timer = setInterval(() => beatOnce().catch(() => {}), beatMs);
  timer.unref();

  return {
    async verify() {
      if (!lost && isTrusted()) return;
      // A beat that is under way may have begun before this process was stopped.
      await beating?.catch(() => {});
      if (!lost && !isTrusted()) await beatOnce();
      if (lost || !isTrusted()) throw new JournalBusyError(path, undefined);
    },
    async release() {
      clearInterval(timer);
      try {
        await beating?.catch(() => {});
        await beatOnce();
        await handle.close();
        // It was touched just now, so no other process can take it over while it is removed.
        if (!lost && isTrusted()) await rm(lock, { force: true });
      } finally {
        heldIds().delete(self.id);
      }
    },
  };
}

/** Creates a lock file with its owner in it; undefined when there is one already. */
async function createExclusively(file: string, owner: LockOwner): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'wx', 0o600);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined;
    throw error;
  }
  try {
    await writeOwner(handle, owner);
    return handle;
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
}

async function writeOwner(handle: FileHandle, owner: LockOwner): Promise<void> {
  await handle.writeFile(JSON.stringify(owner));
  await handle.sync();
}

async function findLock(file: string): Promise<FoundLock | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    const owner = parseOwner(await handle.readFile('utf8'));
    // Through the open file: a network file system shows its latest times only to those who have opened it.
    const { ino, mtimeMs } = await handle.stat();
    return { id: owner?.id ?? `torn-${ino}-${Math.round(mtimeMs * 1000)}`, owner, touchedMs: mtimeMs };
  } finally {
    await handle.close();
  }
}
