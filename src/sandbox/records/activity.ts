import type { SandboxDelivery, SandboxDeliveryAttempt } from './delivery.js';
import type { ActiveFault, LedgerEntry, PriceChange, SandboxRequest, SandboxTransaction } from './objects.js';

/** What happened, by type. */
export type ActivityDetail =
  /** A request got its response, or its connection closed. */
  | { readonly type: 'request'; readonly request: SandboxRequest }
  /** A purchase was accepted, or a transaction reached a final state. */
  | {
      readonly type: 'transaction';
      readonly change: 'accepted' | 'settled';
      readonly transaction: SandboxTransaction;
    }
  /** A wallet moved. */
  | { readonly type: 'wallet'; readonly clientId: string; readonly entry: LedgerEntry }
  /** A client subscribed its webhook endpoint. The secret is not included. */
  | {
      readonly type: 'subscription';
      readonly clientId: string;
      readonly url: string;
      readonly enabled: boolean;
    }
  /** A settled transaction has an event for its subscriber; its attempts follow as `delivery`. */
  | { readonly type: 'event'; readonly delivery: SandboxDelivery }
  /** A listed price was changed. */
  | { readonly type: 'price'; readonly price: PriceChange }
  /** A webhook was sent; `attempt` says how that ended. */
  | {
      readonly type: 'delivery';
      readonly delivery: SandboxDelivery;
      readonly attempt: SandboxDeliveryAttempt;
    }
  /** A fault was added, met a request, or was removed. */
  | { readonly type: 'fault'; readonly change: 'added' | 'used' | 'removed'; readonly fault: ActiveFault }
  /** A client's keys or conditions changed. */
  | { readonly type: 'client'; readonly clientId: string }
  /** A manual clock moved on. */
  | { readonly type: 'clock'; readonly now: Date }
  /** Everything was set back to the beginning. */
  | { readonly type: 'reset' };

/** One thing that happened in the sandbox, as `sandbox.onActivity` reports it. */
export type SandboxActivity = ActivityDetail & {
  /** Counts from 1. */
  readonly id: number;
  /** When, by the sandbox's clock. */
  readonly at: Date;
};

/**
 * Receives each activity, after the change was made and kept. An error that it throws is written to the console; the change stands, and the
 * other listeners are called.
 */
export type ActivityListener = (activity: SandboxActivity) => void;
