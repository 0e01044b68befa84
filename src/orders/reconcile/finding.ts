import { type ReconcileFindingKind, reconcileFindings } from './kinds.js';

/** A value of a finding: amounts are NGN. */
export type FindingValue = string | number | boolean | undefined;

/** One difference between the orders and the service, or the wallet's statement. Plain data. */
export interface ReconcileFinding {
  /** What differs. */
  readonly kind: ReconcileFindingKind;
  /** The id of the order; undefined where there is none. */
  readonly id?: string | undefined;
  /** The service's reference, where one is known. */
  readonly reference?: string | undefined;
  /** What the order has: its state, an amount in NGN, or whether it was refunded. */
  readonly stored?: FindingValue;
  /** What the service or the statement has; of a failed lookup, the message of its error. */
  readonly found?: FindingValue;
  /** What differs, in a sentence. */
  readonly message: string;
  /** The next step of a person. */
  readonly whatToDo: string;
  /** Whether `apply: true` has settled the order. */
  readonly applied: boolean;
}

/** What a comparison found out about one order. */
export interface Difference {
  readonly kind: ReconcileFindingKind;
  readonly stored?: FindingValue;
  readonly found?: FindingValue;
}

/** A difference as it is reported. */
export const findingOf = (
  { id, reference }: Pick<ReconcileFinding, 'id' | 'reference'>,
  difference: Difference,
  applied = false,
): ReconcileFinding => ({ id, reference, ...difference, ...reconcileFindings[difference.kind], applied });
