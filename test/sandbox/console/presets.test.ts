import { expect, test } from 'vitest';
import { operations } from '../../../src/contract/operations.js';
import { presets, repetitions, targets } from '../../../src/sandbox/console/presets.js';
import { controlled } from '../control/support.js';

test('every fault that the page offers is one that the sandbox takes', async () => {
  const { ok, sandbox } = await controlled();
  for (const { fault } of presets) {
    for (const { times } of repetitions) await ok('POST', '/faults', { ...fault, times });
  }
  for (const { operation } of targets) await ok('POST', '/faults', { status: 500, operation });
  expect(sandbox.faults.active).toHaveLength(presets.length * repetitions.length + targets.length);
});

test('every call can be chosen, and names are used once', () => {
  const names = targets.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(operations)));
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
});
