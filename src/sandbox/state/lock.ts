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

/** Whether a process of this id exists here. Signal 0 only asks. */
function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * Takes `<path>.lock`, so that no other sandbox writes the state file, and returns what releases it. The lock of a process that has ended
 * is replaced: of two starters that do so at once, only one can move it away.
 */
export function lockState(path: string): () => void {
  const fs = process.getBuiltinModule('node:fs');
  const [file, host] = [`${path}.lock`, process.getBuiltinModule('node:os').hostname()];
  const started = String(Math.round(performance.timeOrigin));
  const own = `${process.pid} ${started} ${host}\n`;
  const read = (name: string) => unless('ENOENT', () => fs.readFileSync(name, 'utf8'));
  const create = () =>
    unless('EEXIST', () => {
      fs.writeFileSync(file, own, { flag: 'wx', mode: 0o600 });
      return true;
    });

  if (!create()) {
    const found = read(file);
    const [, pid, began, on] = /^(\d+) (\d+) (\S+)\n$/.exec(found ?? '') ?? [];
    // Of a process on another machine nothing is known, so it counts as alive; in a container each start has the same id.
    const isSelf = Number(pid) === process.pid;
    if (pid && (on !== host || (isSelf ? began === started : processExists(Number(pid))))) {
      throw new ConfigurationError(
        'state',
        `is in use by another sandbox (process ${pid} on ${on}); if that does not run any more, remove ${file}`,
      );
    }
    const aside = `${file}.${crypto.randomUUID()}`;
    unless('ENOENT', () => fs.renameSync(file, aside));
    const moved = read(aside);
    if (moved !== undefined && moved !== found) fs.renameSync(aside, file);
    else fs.rmSync(aside, { force: true });
    if (moved !== found || !create()) {
      throw new ConfigurationError(
        'state',
        `was taken by another sandbox just now: remove ${file} if none runs`,
      );
    }
  }
  return () => {
    if (read(file) === own) fs.rmSync(file, { force: true });
  };
}
