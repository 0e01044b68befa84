import { ConfigurationError } from '../../errors/base.js';
import { hasCode } from '../../utils/unknown.js';

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
 * Takes `<path>.pid`, so that no other sandbox writes the state file, and returns what releases it. What a crash has left is removed by one
 * starter at a time: by whoever has made `<path>.pid.takeover`. A process that has ended makes no pid file anew, so that what is
 * read as left over then cannot become another one's before it is removed.
 */
export function lockState(path: string): () => void {
  const fs = process.getBuiltinModule('node:fs');
  const [file, host] = [`${path}.pid`, process.getBuiltinModule('node:os').hostname()];
  const started = String(Math.round(performance.timeOrigin));
  const own = `${process.pid} ${started} ${host}\n`;
  const read = () => unless('ENOENT', () => fs.readFileSync(file, 'utf8'));
  const create = (name: string): boolean =>
    unless('EEXIST', () => {
      fs.writeFileSync(name, own, { flag: 'wx', mode: 0o600 });
      return true;
    }) ?? false;

  /** Whether the pid file is left over. One without a whole line is being written. */
  const isLeftOver = (): boolean => {
    const found = read();
    if (found === undefined) return false;
    const [, pid, began, on] = /^(\d+) (\d+) (\S+)\n$/.exec(found) ?? [];
    // Of a process on another machine nothing is known, so it counts as alive; in a container each start has the same id.
    const isSelf = Number(pid) === process.pid;
    if (pid && on === host && (isSelf ? began !== started : !processExists(Number(pid)))) return true;
    const holder = pid ? `process ${pid} on ${on}` : 'which is starting';
    throw new ConfigurationError(
      'state',
      `is in use by another sandbox (${holder}); if that does not run any more, remove ${file}`,
    );
  };

  if (!create(file) && isLeftOver()) {
    const takeover = `${file}.takeover`;
    if (!create(takeover)) {
      throw new ConfigurationError(
        'state',
        `is being taken over by another sandbox; if none is starting, remove ${takeover}`,
      );
    }
    try {
      if (isLeftOver()) fs.rmSync(file, { force: true });
    } finally {
      fs.rmSync(takeover, { force: true });
    }
    if (!create(file)) throw new ConfigurationError('state', 'was taken by another sandbox just now');
  } else if (read() !== own) {
    throw new ConfigurationError('state', 'was released by another sandbox just now: start again');
  }
  return () => {
    if (read() === own) fs.rmSync(file, { force: true });
  };
}
