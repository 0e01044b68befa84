import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The path of a new file with this text, which is removed when the test ends. */
export function temporaryFile(text: string, name = 'file'): string {
  const folder = mkdtempSync(join(tmpdir(), 'billpay-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
