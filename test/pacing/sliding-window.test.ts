import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SlidingWindow } from '../../src/pacing/pacer.js';

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
