import { nodeFetch } from '../../src/node/index.js';

/** The `fetch` that a client of these runs is given: the global one, or `nodeFetch`. */
export function transportOf(name: string): typeof globalThis.fetch | undefined {
  if (name === 'fetch') return undefined;
  if (name === 'node') return nodeFetch();
  throw new Error(`--transport takes fetch or node; got ${name}`);
}
