import { ConfigurationError } from '../../errors/configuration-error.js';

/** Keeps two sandboxes from writing one state file. */
export interface StateLock {
  release(): void;
}

/** How often an owner touches its lock file, in ms. */
const beatMs = 2000;

/** A lock of another machine or container that was not touched for so long belongs to a process that died, in ms. */
const silentMs = 10_000;

interface Owner {
  readonly pid: number;
  readonly host: string;
}

/** The files that this process holds: after a restart in a container the process id is the same, but this set is empty. */
const held = new Set<string>();

/** Creates `<path>.lock`, or throws `ConfigurationError` while its owner lives. */
export function lockState(path: string): StateLock {
  const fs = process.getBuiltinModule('node:fs');
  const { hostname } = process.getBuiltinModule('node:os');
  const file = `${path}.lock`;
  const self: Owner = { pid: process.pid, host: hostname() };

  const create = (): boolean => {
    try {
      fs.writeFileSync(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false;
      throw error;
    }
  };

  if (!create()) {
    const owner = readOwner(fs, file);
    if (owner && isAlive(fs, file, path, owner, self)) {
      throw new ConfigurationError(
        'state',
        `is in use by another sandbox (process ${owner.pid} on ${owner.host}): ${path}`,
      );
    }
    // Renamed first, so that of two processes that find the same dead lock only one removes it.
    const dead = `${file}.${self.pid}.dead`;
    fs.renameSync(file, dead);
    fs.rmSync(dead, { force: true });
    if (!create()) throw new ConfigurationError('state', `was taken by another sandbox just now: ${path}`);
  }
  held.add(path);
  const beat = setInterval(() => {
    const now = new Date();
    fs.utimes(file, now, now, () => undefined);
  }, beatMs);
  beat.unref();
  return {
    release: () => {
      clearInterval(beat);
      held.delete(path);
      fs.rmSync(file, { force: true });
    },
  };
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

function readOwner(fs: typeof import('node:fs'), file: string): Owner | undefined {
  try {
    const { pid, host } = JSON.parse(fs.readFileSync(file, 'utf8'));
    return { pid: Number(pid), host: String(host) };
  } catch {
    // A lock that was torn by a crash has no owner that lives.
    return undefined;
  }
}

function isAlive(
  fs: typeof import('node:fs'),
  file: string,
  path: string,
  owner: Owner,
  self: Owner,
): boolean {
  if (owner.host !== self.host) return Date.now() - fs.statSync(file).mtimeMs < silentMs;
  if (owner.pid === self.pid) return held.has(path);
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}
