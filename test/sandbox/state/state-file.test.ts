import { spawnSync } from 'node:child_process';
import fs, {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { airtime, call, sandboxAtStart } from '../support.js';
import { statePath } from './support.js';

/** Sets the time of a file, which the file system has just written by its own clock. */
function touchedAgo(file: string, ms: number): void {
  const time = new Date(statSync(file).mtimeMs - ms);
  utimesSync(file, time, time);
}

/** The id of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

describe('a file that was cut off by a crash', () => {
  test('at any byte after its first line holds a beginning of what happened, and its books are right', async () => {
    const state = statePath();
    const sandbox = sandboxAtStart({ state });
    const written = [readFileSync(state).length];
    for (let sale = 0; sale < 8; sale++) {
      const recipient = sale % 3 === 0 ? '08000000001' : '08031234567';
      await call(sandbox, 'POST', '/airtime/purchase', airtime(`k${sale}`, { recipient }));
      written.push(readFileSync(state).length);
      if (sale % 4 === 3) await sandbox.advance('1s');
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
    expect(existsSync(`${state}.lock`)).toBe(false);
  };

  test.each(['{"name":"my app"}\n', 'x'])('one of another kind: %j', (content) =>
    refused(() => content, /is not a state file of this sandbox/),
  );

  test('one that is damaged in the middle', () =>
    refused((whole) => {
      const at = whole.indexOf('client_default');
      whole[at] = 0x58;
      return whole;
    }, /is damaged at byte 24/));
});

describe('a file that is in use', () => {
  test('is refused to another sandbox of this process, and of another one', async () => {
    const state = statePath();
    const sandbox = createSandbox({ state });
    expect(() => createSandbox({ state })).toThrow(/state: is in use by another sandbox/);
    await sandbox.close();
    await createSandbox({ state }).close();

    writeFileSync(`${state}.lock`, JSON.stringify({ id: 'a', pid: process.ppid, host: hostname() }));
    expect(() => createSandbox({ state })).toThrow(`process ${process.ppid}`);
    writeFileSync(`${state}.lock`, JSON.stringify({ id: 'b', pid: 1, host: 'another-container' }));
    expect(() => createSandbox({ state })).toThrow('another-container');
  });

  test.each([
    ['of a process that died', () => ({ id: 'a', pid: deadPid(), host: hostname() })],
    [
      'of an earlier process with the same id, in a container',
      () => ({ id: 'a', pid: process.pid, host: hostname() }),
    ],
    [
      'whose process id another program got after a restart of the machine',
      () => ({ id: 'a', pid: process.ppid, host: hostname() }),
    ],
    ['of another container that has been silent', () => ({ id: 'a', pid: 1, host: 'another-container' })],
    ['that was torn', () => undefined],
  ])('is free when its lock is one %s', async (_, owner) => {
    for (const ms of [-20_000, 20_000]) {
      const state = statePath();
      writeFileSync(`${state}.lock`, JSON.stringify(owner()) ?? '{"pi');
      touchedAgo(`${state}.lock`, ms);
      await createSandbox({ state }).close();
      expect(readdirSync(dirname(state))).toEqual(['sandbox.state']);
    }
  });

  test('stays with the one of two starters that replaced a dead lock first', async () => {
    const state = statePath();
    writeFileSync(`${state}.lock`, JSON.stringify({ id: 'dead', pid: deadPid(), host: hostname() }));
    const live = JSON.stringify({ id: 'rival', pid: process.ppid, host: hostname() });
    // The other starter is as far as it can be: it replaces the dead lock right after this one has read it.
    const read = fs.readFileSync;
    const spy = vi.spyOn(fs, 'readFileSync').mockImplementation((...args) => {
      const text = read(...args);
      if (String(args[0]).endsWith('.lock')) writeFileSync(`${state}.lock`, live);
      return text;
    });
    onTestFinished(() => spy.mockRestore());
    expect(() => createSandbox({ state })).toThrow('was taken by another sandbox just now');
    spy.mockRestore();
    expect(readFileSync(`${state}.lock`, 'utf8')).toBe(live);
  });

  test('is lost to an owner that was stopped while another sandbox took it over, with none of its books', async () => {
    const state = statePath();
    const stopped = sandboxAtStart({ state });
    const buy = (sandbox: Sandbox, key: string) => call(sandbox, 'POST', '/airtime/purchase', airtime(key));
    expect((await buy(stopped, 'k1')).status).toBe(202);
    const lock = JSON.parse(readFileSync(`${state}.lock`, 'utf8'));
    writeFileSync(`${state}.lock`, JSON.stringify({ ...lock, host: 'another-container' }));
    touchedAgo(`${state}.lock`, 20_000);

    const next = sandboxAtStart({ state });
    expect((await buy(next, 'k2')).status).toBe(202);
    expect((await buy(stopped, 'k3').catch(() => ({ status: 0 }))).status).not.toBe(202);
    expect((await buy(next, 'k4')).status).toBe(202);
    await next.close();
    await stopped.close();
    const again = sandboxAtStart({ state });
    expect(again.transactions.map((one) => one.idempotency_key)).toEqual(['k1', 'k2', 'k4']);
    expect(again.audit().ok).toBe(true);
    await again.close();
  });
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
