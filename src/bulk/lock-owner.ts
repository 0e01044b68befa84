import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { isRecord } from '../utils/is-record.js';
import { processExists } from '../utils/process-exists.js';

/** Who holds a lock, as it is written into the lock file. */
export interface LockOwner {
  /** Unique to one acquisition: the token that its owner looks for afterwards. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Where `pid` has a meaning: one boot of one machine and, on Linux, one pid namespace. Undefined when it cannot be learned. */
  readonly space: string | undefined;
  /** When the process started, in the system's own unit, so that a later process with the same pid can be distinguished. Linux only. */
  readonly startedAt: string | undefined;
}

/** `unknown`: nothing can be learned from here, such as for a process of another machine or another thread of this process. */
export type OwnerFate = 'alive' | 'dead' | 'unknown';

const registry = Symbol.for('billpay.journal-locks');

/** The ids that this process holds. It lies on the global object, because the ESM and CommonJS copies of this package share it. */
export function heldIds(): Set<string> {
  const known: unknown = Reflect.get(globalThis, registry);
  if (known instanceof Set) return known;
  const ids = new Set<string>();
  Reflect.set(globalThis, registry, ids);
  return ids;
}

/** Describes this process as the owner of a new acquisition. */
export async function describeSelf(): Promise<LockOwner> {
  return {
    id: randomBytes(8).toString('hex'),
    pid: process.pid,
    host: hostname(),
    space: await pidSpace(),
    startedAt: (await processState(process.pid))?.startedAt,
  };
}

/** Reads an owner from a lock file's text; undefined when the text is torn or not ours. */
export function parseOwner(text: string): LockOwner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { id, pid, host, space, startedAt } = value;
  // The id becomes part of a file name.
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) return undefined;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== 'string') {
    return undefined;
  }
  return { id, pid, host, space: textOf(space), startedAt: textOf(startedAt) };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Whether an owner still runs. A process id proves something only within its own space, and only together with the start of the process: a
 * restarted container runs under the pid and the host name of its predecessor.
 */
export async function fateOf(owner: LockOwner): Promise<OwnerFate> {
  if (heldIds().has(owner.id)) return 'alive';
  if (owner.space === undefined || owner.space !== (await pidSpace())) return 'unknown';
  if (!processExists(owner.pid)) return 'dead';
  const found = await processState(owner.pid);
  if (!found || owner.startedAt === undefined) return 'unknown';
  if (found.isZombie || found.startedAt !== owner.startedAt) return 'dead';
  return owner.pid === process.pid ? 'unknown' : 'alive';
}

async function pidSpace(): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const bootMinute = Math.round((Date.now() / 1000 - uptime()) / 60);
    return `${process.platform} ${hostname()} ${bootMinute}`;
  }
  try {
    const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${bootId.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** A process as /proc shows it; undefined where there is no /proc, or it does not show this process. */
async function processState(pid: number): Promise<{ startedAt: string; isZombie: boolean } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field, the command's name in brackets, may hold blanks and brackets; the third is the state, the 22nd the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = fields[19];
    return startedAt ? { startedAt, isZombie: fields[0] === 'Z' || fields[0] === 'X' } : undefined;
  } catch {
    return undefined;
  }
}
