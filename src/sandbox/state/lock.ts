import { ConfigurationError } from '../../errors/configuration-error.js';
import { hasCode } from '../../utils/has-code.js';

/** The result of `work`; undefined where a file that it needs is missing, or one that it makes exists. */
export function unless<T>(code: 'ENOENT' | 'EEXIST', work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (hasCode(error, code)) return undefined;
    throw error;
  }
}

/** The owner of a lock; undefined where it has ended, or left no text. Of one on another machine nothing is known, so it counts as alive. */
function ownerOf(text: string, host: string, started: number) {
  const [, pid = '', began, on = ''] = /^(\d+) (\d+) (\S+)\n$/.exec(text) ?? [];
  if (pid === '') return undefined;
  // In a container each start has the same id.
  const isSelf = Number(pid) === process.pid;
  const isAlive = on !== host || (isSelf ? Number(began) === started : processExists(Number(pid)));
  return isAlive ? { pid, host: on } : undefined;
}

/**
 * Takes `<path>.lock`, so that no other sandbox writes the state file, and returns what releases it. The lock of a process that has ended
 * is replaced: of two starters that do so at once, only one can move it away.
 */
export function lockState(path: string): () => void {
  const fs = process.getBuiltinModule('node:fs');
  const [file, host] = [`${path}.lock`, process.getBuiltinModule('node:os').hostname()];
  const started = Math.round(performance.timeOrigin);
  const text = `${process.pid} ${started} ${host}\n`;
  const read = (name: string) => unless('ENOENT', () => fs.readFileSync(name, 'utf8'));
  const create = () =>
    unless('EEXIST', () => {
      fs.writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
      return true;
    }) ?? false;
  const takenJustNow = () =>
    new ConfigurationError('state', `was taken by another sandbox just now: remove ${file} if none runs`);

  if (!create()) {
    const found = read(file);
    const owner = ownerOf(found ?? '', host, started);
    if (owner !== undefined) {
      throw new ConfigurationError(
        'state',
        `is in use by another sandbox (process ${owner.pid} on ${owner.host}); if that does not run any more, remove ${file}`,
      );
    }
    const aside = `${file}.${crypto.randomUUID()}`;
    unless('ENOENT', () => fs.renameSync(file, aside));
    const moved = read(aside);
    if (moved !== undefined && moved !== found) fs.renameSync(aside, file);
    else fs.rmSync(aside, { force: true });
    if (moved !== found || !create()) throw takenJustNow();
  }
  return () => {
    if (read(file) === text) fs.rmSync(file, { force: true });
  };
}

/** Whether a process of this id exists here. Signal 0 only asks. */
function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
