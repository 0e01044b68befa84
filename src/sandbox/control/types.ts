import type { SandboxDelivery } from '../records/delivery.js';
import type {
  ActiveFault,
  SandboxCounts,
  SandboxRefusal,
  SandboxRequest,
  SandboxTransaction,
  TimelineEntry,
} from '../records/objects.js';
import type { Sandbox, SandboxClient } from '../types.js';

/** What the control API puts together of the objects of the code API. */

/** A purchase that was tried: what it bought, with its webhook, or why it was refused. */
export type Purchase =
  | { readonly transaction: SandboxTransaction; readonly delivery: SandboxDelivery | undefined }
  | { readonly refusal: SandboxRefusal };

/** Everything about one transaction. */
export interface TransactionDetail {
  readonly transaction: SandboxTransaction;
  /** What its purchase is paid for with: 2% of the amount, up to 150 NGN. */
  readonly commission: number;
  readonly timeline: readonly TimelineEntry[];
  readonly requests: readonly SandboxRequest[];
  readonly delivery: SandboxDelivery | undefined;
}

/** What is in sight on every tab of the page. It costs the same with any number of transactions. */
export interface Summary {
  readonly version: string;
  /** Another one after every start of the server. */
  readonly runId: string;
  /** The base address of the service on this port. */
  readonly baseUrl: string;
  readonly seed: string;
  readonly clock: Clock;
  readonly counts: SandboxCounts;
  readonly clients: readonly SandboxClient[];
  readonly faults: readonly ActiveFault[];
}

/** Which clock the sandbox runs on, its time, and when the next settlement, retry or held response is due. */
export interface Clock {
  readonly kind: Sandbox['clock'];
  readonly now: Date;
  readonly nextEvent: Date | undefined;
}

/** What a value is after its way through JSON. */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Json<Element>[]
    : T extends object
      ? {
          readonly [Name in keyof T as T[Name] extends (...args: never[]) => unknown ? never : Name]: Json<
            T[Name]
          >;
        }
      : T;
