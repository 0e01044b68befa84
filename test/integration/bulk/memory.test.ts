import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundleProgram } from '../../support/bundle-program.js';

const items = 10_000;
/** What else may grow by chance: compiled code, the pages of SQLite. A run that keeps its items needs more than 300 bytes for each. */
const bytesAnItem = 100;

it(`needs no more memory for ${items} items than for a fifth of them`, async () => {
  const child = await bundleProgram(new URL('memory/child.ts', import.meta.url));
  try {
    const args = ['--expose-gc', child.program, join(child.folder, 'run.db'), String(items)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { heap, accepted } = JSON.parse(stdout);
    expect(accepted).toBe(items);
    expect((heap[1] - heap[0]) / items).toBeLessThan(bytesAnItem);
  } finally {
    await child.remove();
  }
}, 240_000);
