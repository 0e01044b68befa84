import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The path of a state file that does not exist yet, in a folder that is removed after the test. */
export function statePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-sandbox-state-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sandbox.state');
}
