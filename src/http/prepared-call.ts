import type { ResolvedCallOptions } from './client-config.js';
import type { Interpretation } from './interpretation.js';
import type { CallKind, ReceivedResponse } from './outcome.js';
import type { TransportRequest } from './transport.js';

/** One call, checked and ready to be sent. */
export interface PreparedCall<T> {
  readonly operation: string;
  readonly kind: CallKind;
  /** Relative to the base address, without the query: for records and log lines. */
  readonly path: string;
  readonly wire: TransportRequest;
  readonly idempotencyKey: string | undefined;
  readonly options: ResolvedCallOptions;
  /** For log lines. */
  readonly maskedRecipient: string | undefined;
  /** Tells what a 2xx response means; never throws. */
  readonly interpret: (response: ReceivedResponse) => Interpretation<T>;
}
