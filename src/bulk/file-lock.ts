import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { JournalBusyError } from '../errors/journal-errors.js';

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly id: string;
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === code;

/** Whether a process of this machine is alive; signal 0 only asks. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const owner: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof owner !== 'object' || owner === null) return undefined;
    const { pid, host, id } = owner as Partial<Record<string, unknown>>;
    return typeof pid === 'number' && typeof host === 'string' && typeof id === 'string'
      ? { pid, host, id }
      : undefined;
  } catch {
    // Gone in the meantime, or torn by the power cut that ended its owner.
    return undefined;
  }
}

/**
 * Takes the lock beside a file; resolves to what releases it. A lock whose process is dead (killed, crashed) is taken over; one of another
 * machine is not, for nothing can be known of it from here.
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  const own: Owner = { pid: process.pid, host: hostname(), id: randomUUID() };
  for (;;) {
    try {
      const handle = await open(lock, 'wx');
      await handle.writeFile(JSON.stringify(own));
      await handle.close();
      return async () => {
        if ((await readOwner(lock))?.id === own.id) await rm(lock, { force: true });
      };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const owner = await readOwner(lock);
    if (owner && (owner.host !== own.host || isAlive(owner.pid))) throw new JournalBusyError(path, owner.pid);
    await removeStale(lock, owner?.id);
  }
}

/** Moves a dead owner's lock aside before removing it, so that of two that find it only one takes it over. */
async function removeStale(lock: string, id: string | undefined): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const moved = await readOwner(aside);
  // Somebody was faster, and this is their fresh lock: give it back.
  if (moved && moved.id !== id) await link(aside, lock).catch(() => {});
  await rm(aside, { force: true });
}
