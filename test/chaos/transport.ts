import type { Transport } from '../../src/index.js';
import { nodeTransport } from '../../src/node/index.js';

/** The client option `transport` of a run: undefined for the default one over the global `fetch`. */
export function transportOf(name: string): Transport | undefined {
  if (name === 'fetch') return undefined;
  if (name === 'node') return nodeTransport();
  throw new Error(`--transport takes fetch or node; got ${name}`);
}
