import { ConfigurationError } from '../../errors/configuration-error.js';
import { hasCode } from '../../utils/has-code.js';
import { processExists } from '../../utils/process-exists.js';

/** Who holds a lock, in one line of text. */
interface Owner {
  readonly pid: number;
  /** When the process began, in ms since 1970: in a container each start has the same id. */
  readonly started: number;
  readonly host: string;
}

const textOf = ({ pid, started, host }: Owner): string => `${pid} ${started} ${host}\n`;

/** Undefined for a lock that a crash has left without its text. */
function ownerOf(text: string): Owner | undefined {
  const [, pid, started, host = ''] = /^(\d+) (\d+) (\S+)\n$/.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started: Number(started), host };
}

/**
 * Takes `<path>.lock`, so that no other sandbox writes the state file, and returns what releases it. The lock of a process that has ended
 * is replaced; `ConfigurationError` where its owner runs, or is on another machine or in another container, of which nothing is known.
 */
export function lockState(path: string): () => void {
  const fs = process.getBuiltinModule('node:fs');
  const { hostname } = process.getBuiltinModule('node:os');
  const file = `${path}.lock`;
  const self = { pid: process.pid, started: Math.round(performance.timeOrigin), host: hostname() };
  const text = textOf(self);
  if (!create(file, text)) replace(file, text, self);
  return () => {
    if (read(file) === text) fs.rmSync(file, { force: true });
  };
}

function isAlive({ pid, started, host }: Owner, self: Owner): boolean {
  if (host !== self.host) return true;
  return pid === self.pid ? started === self.started : processExists(pid);
}

/** Replaces the lock of a dead owner. Of two starters that do so at once, only one can move the dead lock away. */
function replace(file: string, text: string, self: Owner): void {
  const fs = process.getBuiltinModule('node:fs');
  const found = read(file);
  const owner = ownerOf(found ?? '');
  if (owner && isAlive(owner, self)) {
    throw new ConfigurationError(
      'state',
      `is in use by another sandbox (process ${owner.pid} on ${owner.host}); if that does not run any more, remove ${file}`,
    );
  }
  const takenJustNow = () =>
    new ConfigurationError('state', `was taken by another sandbox just now: remove ${file} if none runs`);
  const aside = `${file}.${crypto.randomUUID()}`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw takenJustNow();
  }
  if (read(aside) !== found) {
    fs.renameSync(aside, file);
    throw takenJustNow();
  }
  fs.rmSync(aside);
  if (!create(file, text)) throw takenJustNow();
}

/** False where the file exists. */
function create(file: string, text: string): boolean {
  try {
    process.getBuiltinModule('node:fs').writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Undefined where there is no file. */
function read(file: string): string | undefined {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
