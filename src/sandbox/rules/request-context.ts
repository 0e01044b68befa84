import type { FaultOptions } from '../lab/fault-options.js';
import type { SandboxWarning } from '../lab/warnings.js';
import type { ParsedRequest } from './parse-request.js';
import type { Work } from './work.js';

/** A request while the service works on it. */
export interface RequestContext {
  readonly request: ParsedRequest;
  /** When it arrived, in ms. */
  readonly arrivedAt: number;
  readonly fault: FaultOptions | undefined;
  /** Mistakes that are visible from the request alone. */
  readonly warnings: readonly SandboxWarning[];
  /** Undefined where a fault ends the request before it is processed. */
  readonly work: Work | undefined;
  /** ms to hold the request before it is processed. */
  readonly holdBefore: number;
  /** ms to hold its response. */
  readonly holdAfter: number;
}
