import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JournalBusyError } from '../../src/bulk/errors.js';
import { defaultTimes, type LockTimes, lockFile } from '../../src/bulk/file-lock.js';
import { describeSelf, fateOf, heldIds, type LockOwner, parseOwner } from '../../src/bulk/lock-owner.js';

let folder: string;
let path: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'billpay-lock-'));
  path = join(folder, 'run.journal');
  lock = `${path}.lock`;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Short times, so that tests of silence are fast. The trust leaves a busy machine time for a few operations of the file system. */
const times: LockTimes = { beatMs: 10, silenceMs: 150, trustMs: 1000 };

/** Times that play no part. */
const longTimes: LockTimes = { beatMs: 1000, silenceMs: 60_000, trustMs: 30_000 };

/** The id of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

const ownerFile = (owner: Partial<LockOwner>, file = lock) => writeFileSync(file, JSON.stringify(owner));
const foreign = { id: 'foreign', pid: 1, host: 'elsewhere', space: 'another boot' };

describe('an owner', () => {
  it('is this process, which knows what it holds', async () => {
    const self = await describeSelf();
    heldIds().add(self.id);
    expect(await fateOf(self)).toBe('alive');
    heldIds().delete(self.id);
    // Another thread of this process may hold it.
    expect(await fateOf(self)).toBe('unknown');
  });

  it('is another process that lives', async () => {
    const self = await describeSelf();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    try {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      const owner = { ...self, id: 'child', pid: child.pid ?? 0, startedAt };
      expect(await fateOf(owner)).toBe('alive');
      expect(await fateOf({ ...owner, startedAt: '1' })).toBe('dead');
      expect(await fateOf({ ...owner, startedAt: undefined })).toBe('unknown');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('is dead when its process is gone, or another one runs under its id', async () => {
    const self = await describeSelf();
    expect(await fateOf({ ...self, id: 'gone', pid: await endedPid() })).toBe('dead');
    // A restarted container: the same pid, the same host name, another start.
    expect(await fateOf({ ...self, id: 'former', startedAt: '1' })).toBe('dead');
  });

  it('is unknown on another machine, and where the machine says nothing', async () => {
    const self = await describeSelf();
    expect(await fateOf({ ...self, id: 'other', space: 'another boot' })).toBe('unknown');
    expect(await fateOf({ ...self, id: 'other', space: undefined })).toBe('unknown');
  });

  it.each([
    '',
    '{"pi',
    'null',
    '7',
    '[]',
    '{}',
    '{"id":"../../etc","pid":1,"host":"a"}',
    '{"id":"a","pid":"1","host":"a"}',
    '{"id":"a","pid":0,"host":"a"}',
    '{"id":"a","pid":1}',
  ])('is not read from %j', (text) => {
    expect(parseOwner(text)).toBeUndefined();
  });
});

describe('a lock', () => {
  it('excludes others until it is released, and leaves no file behind', async () => {
    const first = await lockFile(path, times);
    await expect(lockFile(path, times)).rejects.toMatchObject({ name: 'JournalBusyError', pid: process.pid });
    await first.verify();
    await first.release();
    const second = await lockFile(path, times);
    await second.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is made for its owner alone', async () => {
    const held = await lockFile(path, times);
    expect(statSync(lock).mode & 0o777).toBe(0o600);
    await held.release();
  });

  it.each([
    [
      'a process that is gone',
      async () => ({ ...(await describeSelf()), id: 'gone', pid: await endedPid() }),
    ],
    [
      'a former process under our own id',
      async () => ({ ...(await describeSelf()), id: 'us', startedAt: '1' }),
    ],
  ])('of %s is taken over at once', async (_, owner) => {
    ownerFile(await owner());
    const startedAt = performance.now();
    const held = await lockFile(path, { beatMs: 10, silenceMs: 60_000, trustMs: 60_000 });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await held.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['another machine', JSON.stringify(foreign)],
    ['nobody, because a crash tore it', '{"pi'],
    ['nobody, because it is empty', ''],
    ['an older version', JSON.stringify({ pid: 1, host: 'elsewhere', id: 'x' })],
  ])('of %s is taken over once it has been silent, and not before', async (_, text) => {
    writeFileSync(lock, text);
    const startedAt = performance.now();
    const held = await lockFile(path, times);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(times.silenceMs + times.trustMs - 1);
    await held.verify();
    await held.release();
  });

  it('of a dead owner is free within 30 s by its default times, and a live owner is touched often enough', () => {
    const { beatMs, silenceMs, trustMs } = defaultTimes;
    expect(silenceMs + trustMs).toBeLessThanOrEqual(25_000);
    expect(silenceMs).toBeGreaterThanOrEqual(4 * beatMs);
    expect(trustMs).toBeGreaterThanOrEqual(3 * beatMs);
  });

  it('of another machine is refused while its owner touches it', async () => {
    ownerFile(foreign);
    let touched = Date.now() / 1000;
    const timer = setInterval(() => {
      touched += 1;
      utimesSync(lock, touched, touched);
    }, 5);
    try {
      await expect(lockFile(path, { ...times, silenceMs: 60_000 })).rejects.toMatchObject({ pid: 1 });
    } finally {
      clearInterval(timer);
    }
    expect(existsSync(lock)).toBe(true);
  });

  it('is touched by its owner, so that another machine sees it live', async () => {
    const held = await lockFile(path, times);
    const owner = JSON.parse(readFileSync(lock, 'utf8')) as LockOwner;
    // As another machine sees it: it knows nothing of the process.
    heldIds().delete(owner.id);
    const own = await fateOf(owner);
    expect(own).toBe('unknown');
    await expect(lockFile(path, { ...times, silenceMs: 60_000 })).rejects.toBeInstanceOf(JournalBusyError);
    heldIds().add(owner.id);
    await held.release();
  });

  it('that was taken or removed is noticed, and the others’ lock is left alone', async () => {
    const held = await lockFile(path, times);
    ownerFile(foreign);
    await vi.waitFor(
      () => expect(held.verify()).rejects.toMatchObject({ name: 'JournalBusyError', pid: undefined }),
      15_000,
    );
    await held.release();
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ id: 'foreign' });
  });

  it('is verified anew after its owner was stopped for a while', async () => {
    const slow = { beatMs: 60_000, silenceMs: 120_000, trustMs: 90_000 };
    const held = await lockFile(path, slow);
    await held.verify();
    ownerFile(foreign);
    // Within the trust nothing is asked.
    await held.verify();
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 100_000);
    try {
      await expect(held.verify()).rejects.toMatchObject({ name: 'JournalBusyError' });
    } finally {
      clock.mockRestore();
    }
    await held.release();
  });

  it('is verified anew after a virtual machine stood still, which only the wall clock shows', async () => {
    const held = await lockFile(path, { beatMs: 60_000, silenceMs: 120_000, trustMs: 90_000 });
    ownerFile(foreign);
    const later = Date.now() + 100_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
    try {
      await expect(held.verify()).rejects.toMatchObject({ name: 'JournalBusyError' });
    } finally {
      clock.mockRestore();
    }
    await held.release();
  });

  it('whose takeover died half way is taken over all the same', async () => {
    const dead = { ...(await describeSelf()), id: 'dead', pid: await endedPid() };
    ownerFile(dead);
    ownerFile({ ...dead, id: 'half' }, `${lock}.dead`);
    ownerFile({ ...dead, id: 'quarter' }, `${lock}.dead.half`);
    const held = await lockFile(path, times);
    await held.verify();
    await held.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('goes to one of many that find a dead owner’s lock at the same time', async () => {
    const dead = { ...(await describeSelf()), pid: await endedPid() };
    for (let round = 0; round < 30; round++) {
      ownerFile({ ...dead, id: `dead-${round}` });
      const ends = await Promise.allSettled(Array.from({ length: 8 }, () => lockFile(path, longTimes)));
      const owners = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
      const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(owners).toHaveLength(1);
      for (const error of errors) expect(error).toBeInstanceOf(JournalBusyError);
      await owners[0]?.verify();
      await owners[0]?.release();
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
