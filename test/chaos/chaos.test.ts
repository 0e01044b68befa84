import { describe, expect, it } from 'vitest';
import { freezeRun, killRun } from './process/runs.js';
import { runSeed } from './purchases/run.js';
import { measurePatience } from './purchases/time-limits.js';
import { bytesPerCall } from './soak/slope.js';
import { transportOf } from './transport.js';

// Short forms of npm run chaos, chaos:process and soak.

it.each(['fetch', 'node'])(
  'a bad network moves no money twice, over %s',
  { timeout: 240_000 },
  async (name) => {
    const transport = transportOf(name);
    const timeout = await measurePatience(transport);
    const report = await runSeed({ seed: 'test', purchases: 250, timeout, transport });
    expect(report.problems).toEqual([]);
    expect(report.stands.sold).toBeGreaterThan(0);
    expect(report.stands.doubtful).toBeGreaterThan(0);
    const { faults } = report;
    for (const kind of [
      'cut-request',
      'cut-response',
      'stall-request',
      'stall-response',
      'half-open',
      'drip-request',
      'drip-response',
      'late',
      'twice',
      'page',
    ]) {
      expect(faults[kind], kind).toBeGreaterThan(0);
    }
  },
);

it.each(['fetch', 'node'])(
  'a process that is killed charges each order once, over %s',
  { timeout: 240_000 },
  async (transport) => {
    const report = await killRun({ times: 4, seed: 1, transport });
    expect(report.problems).toEqual([]);
    expect(report.orders).toBeGreaterThan(0);
  },
);

it.each([
  ['fetch', 'fin'],
  ['fetch', 'rst'],
  ['node', 'fin'],
  ['node', 'rst'],
] as const)(
  'a process that is frozen charges each order once, over %s, stale connections ended by %s',
  { timeout: 240_000 },
  async (transport, how) => {
    const report = await freezeRun({ times: 2, seed: 1, transport }, how);
    expect(report.problems).toEqual([]);
    expect(report.orders).toBeGreaterThan(0);
    // The connections that the first process had open were stale after a freeze; how many it had depends on the speed of the machine.
    expect(report.count).toBeGreaterThan(4);
  },
);

describe('the slope of a soak', () => {
  const calls = [0, 1000, 2000, 3000, 4000, 5000];
  const noise = [40_000, -40_000, 0, 0, -40_000, 40_000];

  it('is that of its samples', () => {
    const { bytes, error } = bytesPerCall(calls.map((n) => ({ calls: n, heap: 5e6 + 16 * n })));
    expect(bytes).toBeCloseTo(16);
    expect(error).toBeCloseTo(0);
  });

  it('is as sure as its samples are quiet', () => {
    const samples = calls.map((n, at) => ({ calls: n, heap: 5e6 + 16 * n + (noise[at] ?? 0) }));
    const { bytes, error } = bytesPerCall(samples);
    expect(bytes).toBeCloseTo(16);
    expect(error).toBeCloseTo(Math.sqrt(6.4e9 / 4 / 17.5e6));
  });
});
