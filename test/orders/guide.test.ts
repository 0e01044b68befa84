import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stateDiagram } from './support/state-diagram.js';

it('the diagram in docs/orders.md is that of the transition table', () => {
  const guide = readFileSync(new URL('../../docs/orders.md', import.meta.url), 'utf8');
  expect(guide).toContain(stateDiagram());
});
