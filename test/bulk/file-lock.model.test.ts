import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { LockOwner, OwnerFate } from '../../src/bulk/lock-owner.js';
import { useFakeClock } from '../support/clock.js';

useFakeClock();

/** A file in memory. A rename moves the name; whoever has the file open keeps it. */
interface Inode {
  readonly ino: number;
  text: string;
  mtimeMs: number;
}

interface Participant {
  readonly machine: number;
  crashed: boolean;
}

/** The world that the participants share: files, and the operations that wait for their turn. */
const world = vi.hoisted(() => ({
  files: new Map<string, Inode>(),
  gates: [] as { readonly participant: Participant | undefined; release(): void }[],
  owners: new Map<string, Participant>(),
  inodes: 0,
  touches: 0,
}));
const context = new AsyncLocalStorage<Participant>();

/** Every operation of a file system may take any time. A crashed participant never gets on. */
function gate(): Promise<void> {
  return new Promise((release) => {
    const participant = context.getStore();
    world.gates.push({ participant, release: () => participant?.crashed || release() });
  });
}

const missing = (path: string, code: string) => Object.assign(new Error(`${code}: ${path}`), { code });

function handleOf(inode: Inode) {
  return {
    writeFile: async (text: string) => {
      await gate();
      inode.text = text;
      inode.mtimeMs = ++world.touches;
    },
    sync: () => gate(),
    readFile: async () => {
      await gate();
      return inode.text;
    },
    stat: async () => {
      await gate();
      return { ino: inode.ino, mtimeMs: inode.mtimeMs };
    },
    utimes: async () => {
      await gate();
      inode.mtimeMs = ++world.touches;
    },
    close: async () => {},
  };
}

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<object>()),
  open: async (path: string, flags: string) => {
    await gate();
    const found = world.files.get(path);
    if (flags === 'r') {
      if (!found) throw missing(path, 'ENOENT');
      return handleOf(found);
    }
    if (found) throw missing(path, 'EEXIST');
    const inode = { ino: ++world.inodes, text: '', mtimeMs: ++world.touches };
    world.files.set(path, inode);
    return handleOf(inode);
  },
  rename: async (from: string, to: string) => {
    await gate();
    const inode = world.files.get(from);
    if (!inode) throw missing(from, 'ENOENT');
    world.files.delete(from);
    world.files.set(to, inode);
  },
  rm: async (path: string) => {
    // A removal that hangs for longer than a lock's silence is beyond what any lock file can bear.
    if (path !== '/run.journal.lock') await gate();
    world.files.delete(path);
  },
}));

vi.mock('../../src/bulk/lock-owner.js', async (original) => ({
  ...(await original<object>()),
  describeSelf: async (): Promise<LockOwner> => {
    const id = `owner-${world.owners.size}`;
    const participant = context.getStore();
    if (participant) world.owners.set(id, participant);
    return { id, pid: 1, host: 'host', space: undefined, startedAt: undefined };
  },
  // A process is known to be alive or dead on its own machine only.
  fateOf: async ({ id }: LockOwner): Promise<OwnerFate> => {
    const owner = world.owners.get(id);
    if (owner?.machine !== context.getStore()?.machine) return 'unknown';
    return owner?.crashed ? 'dead' : 'alive';
  },
}));

const { lockFile } = await import('../../src/bulk/file-lock.js');

const times = { beatMs: 20, silenceMs: 60, trustMs: 40 };
const path = '/run.journal';
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** What happens next: a participant gets on by some operations while all others are stopped, starts, crashes or releases. */
type Event =
  | { readonly do: 'run'; readonly which: number; readonly operations: number }
  | { readonly do: 'start'; readonly machine: number }
  | { readonly do: 'crash'; readonly which: number }
  | { readonly do: 'release'; readonly which: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      which: fc.nat({ max: 5 }),
      operations: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 60 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('start' as const), machine: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), which: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat({ max: 5 }) }) },
);

type Lock = Awaited<ReturnType<typeof lockFile>>;

/** Participants over one set of files. */
class Race {
  readonly participants: Participant[] = [];
  readonly held: { readonly lock: Lock; readonly participant: Participant; released: boolean }[] = [];
  /** The most owners that would have written at one moment. */
  mostOwners = 0;

  constructor() {
    world.files.clear();
    world.owners.clear();
    world.gates.length = 0;
    vi.clearAllTimers();
  }

  start(machine: number): Participant {
    const participant: Participant = { machine, crashed: false };
    this.participants.push(participant);
    context.run(participant, () => {
      lockFile(path, times).then(
        (lock) => this.held.push({ lock, participant, released: false }),
        () => {},
      );
    });
    return participant;
  }

  /** Lets one participant get on by some operations, while all others are stopped. Without one, time passes. */
  async run(participant: Participant, operations: number): Promise<void> {
    for (let count = 0; count < operations; count++) {
      await settled();
      const at = world.gates.findIndex((waiting) => waiting.participant === participant);
      if (at === -1) await vi.advanceTimersByTimeAsync(10);
      else world.gates.splice(at, 1)[0]?.release();
      await this.countOwners();
    }
  }

  async countOwners(): Promise<void> {
    await settled();
    let owners = 0;
    for (const { lock, participant, released } of this.held) {
      if (participant.crashed || released) continue;
      if (await context.run(participant, () => wouldWrite(lock))) owners++;
    }
    this.mostOwners = Math.max(this.mostOwners, owners);
  }

  release(which: number): void {
    const owner = this.held[which % Math.max(1, this.held.length)];
    if (!owner || owner.participant.crashed || owner.released) return;
    owner.released = true;
    context.run(owner.participant, () => owner.lock.release().catch(() => {}));
  }
}

/** Whether an owner would write now: `verify` resolves without waiting for anything. */
async function wouldWrite(lock: Lock): Promise<boolean> {
  let writes = false;
  lock.verify().then(
    () => {
      writes = true;
    },
    () => {},
  );
  await settled();
  return writes;
}

it('has at most one owner at any time, in any order of events', async () => {
  const numRuns = Number(process.env['BILLPAY_LOCK_RUNS'] ?? 400);
  let acquired = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 4, maxLength: 16, size: 'max' }), async (events) => {
      const race = new Race();
      race.start(0);
      race.start(1);
      for (const one of events) {
        const participant =
          'which' in one ? race.participants[one.which % race.participants.length] : undefined;
        if (one.do === 'start' && race.participants.length < 4) race.start(one.machine);
        else if (one.do === 'release') race.release(one.which);
        else if (one.do === 'crash' && participant) participant.crashed = true;
        else if (one.do === 'run' && participant) await race.run(participant, one.operations);
        await race.countOwners();
        expect(race.mostOwners).toBeLessThanOrEqual(1);
      }
      acquired += race.held.length;
    }),
    { numRuns, endOnFailure: true },
  );
  // The events do lead to owners, often to several in turn.
  expect(acquired).toBeGreaterThan(numRuns / 2);
}, 120_000);

it('has at most one owner when a silent one wakes up during the takeover, at whatever moment', async () => {
  let takeovers = 0;
  for (let before = 20; before <= 70; before++) {
    const race = new Race();
    const silent = race.start(0);
    await race.run(silent, 20);
    const rival = race.start(1);
    await race.run(rival, before);
    await race.run(silent, 12);
    await race.run(rival, 40);
    await race.run(silent, 12);
    expect(race.mostOwners, `woken after ${before} operations`).toBe(1);
    if (race.held.length === 2) takeovers++;
  }
  expect(takeovers).toBeGreaterThan(0);
});
