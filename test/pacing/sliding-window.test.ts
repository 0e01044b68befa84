import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SlidingWindow } from '../../src/pacing/sliding-window.js';

it('grants the limit at once, and the next when the first grant leaves the window', () => {
  const window = new SlidingWindow(3, 60_000);
  expect(window.freeAt(1000)).toBe(1000);
  window.grant(1000);
  window.grant(2000);
  window.grant(3000);
  expect(window.freeAt(3000)).toBe(61_000);
  expect(window.freeAt(3000, 1)).toBe(62_000);
  expect(window.freeAt(3000, 2)).toBe(63_000);
  expect(window.freeAt(70_000)).toBe(70_000);
});

it('foresees whole rounds', () => {
  const window = new SlidingWindow(2, 100);
  expect([0, 1, 2, 3, 4].map((ahead) => window.freeAt(0, ahead))).toEqual([0, 0, 100, 100, 200]);
  window.grant(0);
  expect([0, 1, 2, 3].map((ahead) => window.freeAt(10, ahead))).toEqual([10, 100, 110, 200]);
});

it('never grants more than the limit in any period, and foresees what then happens', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 40 }),
      fc.integer({ min: 0, max: 12 }),
      (limit, gaps, ahead) => {
        const periodMs = 100;
        const window = new SlidingWindow(limit, periodMs);
        const grants: number[] = [];
        let now = 0;
        const grantNext = () => {
          now = Math.max(now, window.freeAt(now));
          window.grant(now);
          grants.push(now);
        };
        for (const gap of gaps) {
          now += gap;
          grantNext();
        }
        const foreseen = window.freeAt(now, ahead);
        for (let i = 0; i < ahead; i++) grantNext();
        expect(Math.max(now, window.freeAt(now))).toBe(foreseen);
        grants.forEach((at, i) => {
          const next = grants[i + limit];
          if (next !== undefined) expect(next - at).toBeGreaterThanOrEqual(periodMs);
        });
      },
    ),
  );
});
