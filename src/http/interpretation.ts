import type { Purchase } from '../contract/responses.js';
import type { PurchaseDifference } from '../errors/response-errors.js';

/** What a 2xx response means to the caller. */
export type Interpretation<T> =
  | {
      readonly ok: true;
      readonly data: T;
      /** Paths at which the response differs from what is documented. */
      readonly deviations: readonly string[];
      /** What the service echoes differently, within the room that its documents leave. */
      readonly tolerated: readonly PurchaseDifference[];
    }
  | UnusableResponse;

/** A 2xx response that is no result for the caller. */
export interface UnusableResponse {
  readonly ok: false;
  readonly problem: string;
  /** Whether a repeat would bring the same response. */
  readonly final: boolean;
  /** The purchase that was accepted all the same. */
  readonly purchase?: Purchase;
  /** The fields in which that purchase is clearly another one than was asked for. */
  readonly differences?: readonly PurchaseDifference[];
}
