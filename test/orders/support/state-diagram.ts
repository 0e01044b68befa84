import { finalStates, orderEvents, orderStates, transition } from '../../../src/orders/states.js';

/** The transition table as a Mermaid state diagram, for the documentation. */
export function stateDiagram(): string {
  const arrows = orderStates.flatMap((state) =>
    orderEvents.flatMap((event) => {
      const certain = transition(state, event, false);
      const doubted = transition(state, event, true);
      const arrow = `    ${state} --> ${certain}: ${event}`;
      if (certain === undefined) return [];
      if (doubted === undefined) return [`${arrow}, never in doubt`];
      return certain === doubted ? [arrow] : [arrow, `    ${state} --> ${doubted}: ${event}, ever in doubt`];
    }),
  );
  const ends = finalStates.map((state) => `    ${state} --> [*]`);
  return ['stateDiagram-v2', '    [*] --> placed', ...arrows, ...ends].join('\n');
}
