import type { WebhookEventName } from '../../contract/vocabulary.js';

/** What can be made wrong with one sending of a webhook. */
export type DeliveryCorruption = 'bad-signature' | 'old-timestamp';

/** What can be made wrong with coming deliveries. */
export type DeliveriesCorruption = DeliveryCorruption | 'duplicate';

/** One sending of a webhook. */
export interface SandboxDeliveryAttempt {
  /** Counts from 1 within its delivery. */
  readonly number: number;
  /** When, by the sandbox's clock. */
  readonly at: Date;
  /** Why it was sent. */
  readonly reason: 'first' | 'retry' | 'duplicate' | 'redelivery';
  /** Where to. */
  readonly url: string;
  /** All headers as sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** How it was corrupted. */
  readonly corruption: DeliveryCorruption | undefined;
  /** The receiver's HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Why there was no response. */
  readonly error: string | undefined;
  /** What a receiver that did not accept it responded with: the first 2,048 bytes of its body. */
  readonly reply?: string | undefined;
  /** Whether the receiver took it: a prompt 2xx. */
  readonly delivered: boolean;
  /** How long the receiver took, in real ms. */
  readonly durationMs: number;
}

/** One event on its way to a receiver, as `sandbox.deliveries` shows it. A live view. */
export interface SandboxDelivery {
  /** The `X-Service-Delivery-ID`: the same over all attempts. */
  readonly id: string;
  /** The subscribed client. */
  readonly clientId: string;
  /** The transaction that settled. */
  readonly reference: string;
  /** `transaction.completed` or `transaction.failed`. */
  readonly event: WebhookEventName;
  /** The exact body, the same at every attempt. */
  readonly body: string;
  /** When the event was made, by the sandbox's clock. */
  readonly at: Date;
  /** `pending` while attempts are left, `delivered` after a prompt 2xx, `failed` after the last attempt. */
  readonly state: 'pending' | 'delivered' | 'failed';
  /** The attempts so far. */
  readonly attempts: readonly SandboxDeliveryAttempt[];
  /** When the next retry is due; undefined when none is. */
  readonly nextAttemptAt: Date | undefined;
  /**
   * Sends it once more, now; resolves when the attempt has ended.
   *
   * @example
   * ```ts
   * await sandbox.deliveries[0]?.redeliver({ corrupt: 'bad-signature' }); // the receiver must refuse it
   * ```
   */
  redeliver(options?: {
    /** How to corrupt it: another digest, or a stamp of three days ago (signed correctly). */
    readonly corrupt?: DeliveryCorruption;
  }): Promise<SandboxDeliveryAttempt>;
  /**
   * Makes the next scheduled retry now, instead of when it is due; resolves when the attempt has ended. If it fails, the retry after
   * it is scheduled from now. Rejects with `ConfigurationError` where no retry is scheduled.
   */
  retryNow(): Promise<SandboxDeliveryAttempt>;
}
