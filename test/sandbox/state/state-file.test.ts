import { spawnSync } from 'node:child_process';
import fs, {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { airtime, call, sandboxAtStart } from '../support.js';
import { statePath } from './support.js';

/** The id of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

describe('a file that was cut off by a crash', () => {
  test.each(['', '{"for'])('within its first line is a new one: %j', async (content) => {
    const state = statePath();
    writeFileSync(state, content);
    for (const balance of [100_000, 100_001]) {
      const sandbox = createSandbox({ state });
      expect(sandbox.wallet().balance).toBe(balance);
      sandbox.client().fund(1);
      await sandbox.close();
    }
  });

  test('at any byte after its first line holds a beginning of what happened, and its books are right', async () => {
    const state = statePath();
    const sandbox = sandboxAtStart({ state });
    const written = [readFileSync(state).length];
    for (let n = 0; n < 8; n++) {
      const recipient = n % 3 === 0 ? '08000000001' : '08031234567';
      await call(sandbox, 'POST', '/airtime/purchase', airtime(`k${n}`, { recipient }));
      written.push(readFileSync(state).length);
      if (n % 4 === 3) await sandbox.advance('1s');
    }
    await sandbox.close();
    const whole = readFileSync(state);
    const least = written[0] ?? 0;

    await fc.assert(
      fc.asyncProperty(fc.integer({ min: least, max: whole.length }), async (length) => {
        writeFileSync(state, whole.subarray(0, length));
        const again = createSandbox({ state, clock: 'manual' });
        try {
          expect(again.audit()).toMatchObject({ ok: true });
          // Everything that was acknowledged before the cut is there.
          const acknowledged = written.filter((size) => size <= length).length - 1;
          expect(again.transactions.length).toBeGreaterThanOrEqual(acknowledged);
          expect(again.transactions.map(({ idempotency_key }) => idempotency_key)).toEqual(
            Array.from({ length: again.transactions.length }, (_, at) => `k${at}`),
          );
        } finally {
          await again.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a file that cannot be used is left as it is', () => {
  const refused = async (content: (whole: Buffer) => Buffer | string, problem: RegExp) => {
    const state = statePath();
    const sandbox = sandboxAtStart({ state });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    await call(sandbox, 'POST', '/airtime/purchase', airtime('b'));
    await sandbox.close();
    const changed = content(readFileSync(state));
    writeFileSync(state, changed);
    expect(() => createSandbox({ state })).toThrow(problem);
    expect(readFileSync(state)).toEqual(Buffer.from(changed));
    expect(existsSync(`${state}.pid`)).toBe(false);
  };

  test.each(['{"name":"my app"}\n', 'x'])('one of another kind: %j', (content) =>
    refused(() => content, /is not a state file of this sandbox/),
  );

  test('one of another version', () =>
    refused(
      (whole) => whole.toString().replace('"version":5', '"version":9'),
      /was written by another version of this sandbox/,
    ));

  test('one that is damaged in the middle', () =>
    refused((whole) => {
      whole[whole.indexOf('[["')] = 0x58;
      return whole;
    }, /is damaged at byte 47/));
});

/** The text of a lock, as a process writes it. */
const lockOf = (pid: number, started: number, host = hostname()) => `${pid} ${started} ${host}\n`;

describe('a file that is in use', () => {
  test('is refused to another sandbox of this process, and of another one', async () => {
    const state = statePath();
    const sandbox = createSandbox({ state });
    expect(() => createSandbox({ state })).toThrow(/state: is in use by another sandbox/);
    await sandbox.close();
    await createSandbox({ state }).close();

    writeFileSync(`${state}.pid`, lockOf(process.ppid, 1));
    expect(() => createSandbox({ state })).toThrow(`process ${process.ppid}`);
    writeFileSync(`${state}.pid`, lockOf(1, 1, 'another-container'));
    expect(() => createSandbox({ state })).toThrow(
      `process 1 on another-container); if that does not run any more, remove ${state}.pid`,
    );
  });

  test.each([
    ['that of a process that died', () => lockOf(deadPid(), 1)],
    ['that of an earlier process with the same id, in a container', () => lockOf(process.pid, 1)],
  ])('is free when its pid file is %s', async (_, text) => {
    const state = statePath();
    writeFileSync(`${state}.pid`, text());
    await createSandbox({ state }).close();
    expect(readdirSync(dirname(state))).toEqual(['sandbox.state']);
  });

  test('is refused where its pid file is being written, or another one takes it over', () => {
    const state = statePath();
    writeFileSync(`${state}.pid`, '');
    expect(() => createSandbox({ state })).toThrow(/another sandbox \(which is starting\).*remove/);
    writeFileSync(`${state}.pid`, lockOf(deadPid(), 1));
    writeFileSync(`${state}.pid.takeover`, lockOf(process.ppid, 1));
    expect(() => createSandbox({ state })).toThrow(/is being taken over by another sandbox/);
    expect(readdirSync(dirname(state))).toEqual(['sandbox.state.pid', 'sandbox.state.pid.takeover']);
  });

  test.each(['after it was read', 'after it was removed'])(
    'stays with the one of two starters that replaced a dead one first: %s',
    (when) => {
      const state = statePath();
      const file = `${state}.pid`;
      writeFileSync(file, lockOf(deadPid(), 1));
      const live = lockOf(process.ppid, 1);
      // The other starter is as far as it can be.
      const { readFileSync: read, rmSync: remove } = fs;
      const spies = [
        vi.spyOn(fs, 'readFileSync').mockImplementation((...args) => {
          const text = read(...args);
          if (args[0] === file && when === 'after it was read') writeFileSync(file, live);
          return text;
        }),
        vi.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
          remove(path, options);
          if (path === file && when === 'after it was removed') writeFileSync(file, live);
        }),
      ];
      onTestFinished(() => {
        for (const spy of spies) spy.mockRestore();
      });
      expect(() => createSandbox({ state })).toThrow(/is in use|was taken by another sandbox just now/);
      for (const spy of spies) spy.mockRestore();
      expect(readFileSync(file, 'utf8')).toBe(live);
      expect(readdirSync(dirname(state))).toEqual(['sandbox.state.pid']);
    },
  );

  test('is written by nothing but the sandbox itself once it is closed: the number of its descriptor is free again', async () => {
    const state = statePath();
    const written: unknown[] = [];
    const spies = [vi.spyOn(fs, 'write'), vi.spyOn(fs, 'writev')];
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const sandbox = createSandbox({ state, clock: 'manual' });
    vi.advanceTimersByTime(60_000);
    await sandbox.close();
    vi.advanceTimersByTime(60_000);
    for (const spy of spies) written.push(...spy.mock.calls);
    expect(written).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each(['a file', 'a name where nothing is'])(
  'a link to %s that was planted beside it is not followed',
  async (target) => {
    const state = statePath();
    const victim = `${state}.victim`;
    if (target === 'a file') writeFileSync(victim, 'of somebody else');
    symlinkSync(victim, `${state}.new`);
    const sandbox = createSandbox({ state });
    sandbox.client().fund(1);
    await sandbox.close();
    expect(lstatSync(state).isFile()).toBe(true);
    if (target === 'a file') expect(readFileSync(victim, 'utf8')).toBe('of somebody else');
    else expect(existsSync(victim)).toBe(false);
  },
);

describe('a path that names no regular file is refused, and left as it is', () => {
  test('a folder', () => {
    const state = dirname(statePath());
    expect(() => createSandbox({ state })).toThrow(/must be a regular file, and .* is a folder/);
    expect(readdirSync(state)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('a pipe, and a link to one', () => {
    const state = statePath();
    spawnSync('mkfifo', [state]);
    symlinkSync(state, `${state}.link`);
    for (const path of [state, `${state}.link`]) {
      expect(() => createSandbox({ state: path })).toThrow(/is a device, a pipe or a socket/);
    }
    expect(lstatSync(state).isFIFO()).toBe(true);
    expect(readdirSync(dirname(state))).toEqual(['sandbox.state', 'sandbox.state.link']);
  });

  test('one in a folder that does not exist', () => {
    expect(() => createSandbox({ state: '/nowhere/at/all' })).toThrow('make /nowhere/at first');
  });

  test('a link to a name where nothing is', async () => {
    const state = statePath();
    symlinkSync('volume.state', state);
    expect(() => createSandbox({ state })).toThrow(/is a link to a file that does not exist: make an empty/);
    expect(lstatSync(state).isSymbolicLink()).toBe(true);
    expect(readdirSync(dirname(state))).toEqual(['sandbox.state']);
    writeFileSync(join(dirname(state), 'volume.state'), '');
    const sandbox = createSandbox({ state, balance: 5 });
    await sandbox.close();
    const again = createSandbox({ state: join(dirname(state), 'volume.state') });
    expect(again.wallet().balance).toBe(5);
    await again.close();
  });
});

describe('a change that cannot be written', () => {
  test('fails its request and every later one; nothing is changed any more, and the file stays right', async () => {
    const state = statePath();
    const sandbox = sandboxAtStart({ state });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const spy = vi.spyOn(fs, 'appendFileSync').mockImplementation(() => {
      throw new Error('ENOSPC');
    });
    onTestFinished(() => spy.mockRestore());
    const failed = { status: 500, body: { code: 'GATEWAY_ERROR', message: /cannot write its state file/ } };
    expect(await call(sandbox, 'POST', '/airtime/purchase', airtime('b'))).toMatchObject({
      ...failed,
      body: { message: expect.stringMatching(failed.body.message) },
    });
    spy.mockRestore();
    expect(sandbox.problem).toMatch(/cannot write its state file/);
    const { balance } = sandbox.wallet();
    expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('c'))).status).toBe(500);
    expect(() => sandbox.client().fund(1)).toThrow('cannot write its state file');
    expect(() => sandbox.reset()).toThrow('cannot write its state file');
    await expect(sandbox.advance('1s')).rejects.toThrow('cannot write its state file');
    expect(sandbox.wallet().balance).toBe(balance);
    await sandbox.close();

    const again = createSandbox({ state, clock: 'manual' });
    expect(again.transactions.map((one) => one.idempotency_key)).toEqual(['a']);
    expect(again.audit().ok).toBe(true);
    await again.close();
  });

  test('on a real clock does not end the process', async () => {
    const state = statePath();
    const sandbox = createSandbox({ state, settleAfter: 20 });
    await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
    const spy = vi.spyOn(fs, 'appendFileSync').mockImplementation(() => {
      throw new Error('ENOSPC');
    });
    onTestFinished(() => spy.mockRestore());
    await vi.waitFor(() => expect(spy).toHaveBeenCalled());
    spy.mockRestore();
    expect((await call(sandbox, 'GET', '/tv/products?biller=DSTV')).status).toBe(500);
    await sandbox.close();
  });
});

test('what happens after close() is kept in memory only, and a second close() leaves the next sandbox alone', async () => {
  const state = statePath();
  const first = createSandbox({ state });
  await first.close();
  const second = createSandbox({ state });
  first.client().fund(1);
  await first.close();
  expect(() => createSandbox({ state })).toThrow('is in use by another sandbox');
  await second.close();
  const third = createSandbox({ state });
  expect(third.wallet().balance).toBe(100_000);
  await third.close();
});

test('a symbolic link leads to the file that it names', async () => {
  const state = statePath();
  await createSandbox({ state, balance: 5 }).close();
  const link = `${state}.link`;
  symlinkSync(state, link);
  const sandbox = createSandbox({ state: link });
  expect(sandbox.wallet().balance).toBe(5);
  sandbox.client().fund(1);
  await sandbox.close();
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  copyFileSync(state, `${state}.copy`);
  const copied = createSandbox({ state: `${state}.copy` });
  expect(copied.wallet().balance).toBe(6);
  await copied.close();
});
