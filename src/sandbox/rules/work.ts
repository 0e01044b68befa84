import type { SandboxWarning } from '../lab/warnings.js';
import type { HttpResponse } from './responses.js';
import type { Transaction } from './transactions.js';

/** What working on a request led to. */
export interface WorkResult {
  readonly response: HttpResponse;
  readonly transaction?: Transaction;
  readonly replayed?: boolean;
  /** Mistakes that were tolerated. */
  readonly warnings?: readonly SandboxWarning[];
  /** The response is lost on its way. */
  readonly closed?: boolean;
}

/** A request that was admitted. */
export interface Work {
  /** How long it takes, in ms by the sandbox's clock. */
  readonly holdMs: number;
  run(): WorkResult;
  /** Called when the response has been made. */
  end(): void;
}

const nothing = () => undefined;
export const done = (served: WorkResult): Work => ({ holdMs: 0, run: () => served, end: nothing });
