import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Agenda } from '../../../src/sandbox/lab/agenda.js';

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.integer({ min: 0, max: 50 }) }) },
  fc.record({ cancel: fc.nat(200) }),
  fc.record({ takeUntil: fc.integer({ min: 0, max: 60 }) }),
);

test('takes what is due in order of time, then of scheduling, and nothing that was cancelled', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3000 }), (steps) => {
      const agenda = new Agenda();
      let model: { readonly due: number; readonly item: ReturnType<Agenda['add']> }[] = [];
      for (const one of steps) {
        if ('add' in one) {
          const item = agenda.add(one.add, () => undefined);
          // A stable sort keeps the order of scheduling.
          model = [...model, { due: one.add, item }].sort((a, b) => a.due - b.due);
        } else if ('cancel' in one) {
          const [cancelled] = model.splice(one.cancel, 1);
          cancelled?.item.cancel();
        } else {
          const due = model.filter((entry) => entry.due <= one.takeUntil).map(({ item }) => item);
          const taken = [];
          for (let next = agenda.takeDue(one.takeUntil); next; next = agenda.takeDue(one.takeUntil))
            taken.push(next);
          expect(taken).toEqual(due);
          model = model.filter(({ item }) => !due.includes(item));
        }
        expect(agenda.peek()).toBe(model[0]?.item);
      }
    }),
    { numRuns: 40 },
  );
});
