import { expect, test } from 'vitest';
import { operations } from '../../../src/contract/operations.js';
import { presets, repetitions, targets } from '../../../src/sandbox/page/presets.js';
import { controlled } from '../control/support.js';

const [faults, calls, counts] = [presets, targets, repetitions].map(
  (choices) => Object.values(choices).length,
);

test('every fault that the page offers is one that the sandbox takes', async () => {
  const { ok, sandbox } = await controlled();
  for (const fault of Object.values(presets)) {
    for (const times of Object.values(repetitions)) await ok('POST', '/faults', { ...fault, times });
  }
  for (const operation of Object.values(targets)) await ok('POST', '/faults', { status: 500, operation });
  expect(sandbox.faults.active).toHaveLength((faults ?? 0) * (counts ?? 0) + (calls ?? 0));
});

test('every call can be chosen', () => {
  expect(Object.keys(targets)).toEqual(expect.arrayContaining(Object.keys(operations)));
});
