import { hasCode } from './has-code.js';

/** Whether a process of this id exists here. Signal 0 only asks. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
