import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  finalStates,
  isFinal,
  type OrderEvent,
  type OrderState,
  orderEvents,
  orderStates,
  transition,
} from '../../src/orders/states.js';

/** Every transition there is: state, event, the state that it leads to, and that of an order which was ever unknown. */
const transitions: readonly (readonly [OrderState, OrderEvent, OrderState, OrderState | undefined])[] = [
  ['placed', 'begin', 'buying', 'buying'],
  ['placed', 'hold', 'held', 'held'],
  ['placed', 'cancel', 'refused', undefined],
  ['placed', 'expire', 'refused', undefined],
  ['buying', 'begin', 'buying', 'buying'],
  ['buying', 'accept', 'accepted', 'accepted'],
  ['buying', 'unknown', 'unknown', 'unknown'],
  ['buying', 'defer', 'placed', 'unknown'],
  ['buying', 'hold', 'held', 'unknown'],
  ['buying', 'refuse', 'refused', 'unknown'],
  ['buying', 'review', 'review', 'review'],
  ['accepted', 'deliver', 'delivered', 'delivered'],
  ['accepted', 'fail', 'failed', 'failed'],
  ['accepted', 'review', 'review', 'review'],
  ['unknown', 'begin', 'buying', 'buying'],
  ['unknown', 'review', 'review', 'review'],
  ['held', 'begin', 'buying', 'buying'],
  ['held', 'cancel', 'refused', undefined],
  ['held', 'expire', 'refused', undefined],
  ['review', 'retry', 'placed', 'unknown'],
  ['review', 'checkAgain', 'accepted', 'accepted'],
  ['review', 'deliver', 'delivered', 'delivered'],
  ['review', 'fail', 'failed', 'failed'],
  ['review', 'refuse', 'refused', 'refused'],
  ['delivered', 'reopen', 'review', 'review'],
  ['failed', 'reopen', 'review', 'review'],
  ['refused', 'reopen', 'review', 'review'],
];

const rows = orderStates.flatMap((state) =>
  orderEvents.map((event) => {
    const found = transitions.find(([from, by]) => from === state && by === event);
    return [state, event, found?.[2], found?.[3]] as const;
  }),
);

describe('the transition table', () => {
  it.each(rows)('%s, %s: %s, unknown %s', (state, event, certain, mayHaveCharged) => {
    expect(transition(state, event, false)).toBe(certain);
    expect(transition(state, event, true)).toBe(mayHaveCharged);
  });

  it('has three final states', () => {
    expect(finalStates).toEqual(['delivered', 'failed', 'refused']);
    expect(orderStates.filter(isFinal)).toEqual(['delivered', 'failed', 'refused']);
  });

  it('leads from every open state to every end, but never from doubt to refused without a person', () => {
    const events = fc.array(fc.constantFrom(...orderEvents), { maxLength: 40 });
    fc.assert(
      fc.property(events, (sequence) => {
        let state: OrderState = 'placed';
        let mayHaveCharged = false;
        for (const event of sequence) {
          const before: OrderState = state;
          mayHaveCharged ||= event === 'unknown' && before === 'buying';
          state = transition(before, event, mayHaveCharged) ?? before;
          // Only a hook that broke its transaction opens an order again, for a person.
          if (isFinal(before)) expect(state).toBe(event === 'reopen' ? 'review' : before);
          if (state === 'refused' && before !== 'refused' && mayHaveCharged) expect(before).toBe('review');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
