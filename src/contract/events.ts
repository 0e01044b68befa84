import { type Open, type Undocumented, webhookEventNames } from './vocabulary.js';

/** The fields of every webhook delivery besides `event`. */
interface WebhookEnvelope {
  /** When the event was created, ISO 8601 UTC, such as `2026-01-31T09:30:00Z`. */
  timestamp: string;
  /** `v1`. */
  signature_version: Open<'v1'>;
  /** The `X-Service-Delivery-ID` header: a UUID that all retries of an event share. Undefined when the header is missing. */
  delivery_id: string | undefined;
}

/** The transaction of a settlement event. */
export interface WebhookTransaction {
  /** The reference that the purchase returned. De-duplicate by it. */
  reference: string;
  /** `success` in the completed event. The value in the failed event is not documented. */
  status: Open<'success' | 'failed'>;
  /** The same value as in the status check. */
  service_type: string;
  /** NGN. */
  amount: number;
  /** The electricity token on success, else null. Read education PINs by a status check. Never log it. */
  token: string | null;
  /** When the transaction settled, ISO 8601 UTC. */
  completed_at: string;
  /** Contents are not documented. */
  metadata: Record<string, unknown>;
}

/** A transaction reached `success`: deliver to your customer now, once. */
export interface TransactionCompletedEvent extends WebhookEnvelope {
  /** Tells it apart from other events. */
  event: 'transaction.completed';
  /** The transaction, with the electricity token where there is one. */
  data: WebhookTransaction;
}

/** A transaction reached `failed`; the wallet has already been refunded. */
export interface TransactionFailedEvent extends WebhookEnvelope {
  /** Tells it apart from other events. */
  event: 'transaction.failed';
  /** The transaction, without a token. */
  data: WebhookTransaction;
}

/** An event that this version does not know. It is verified and passed on unchanged. */
export interface UnknownWebhookEvent extends WebhookEnvelope {
  /** Any name that is not documented: a string at run time. */
  event: Undocumented;
  /** What the service sent; the reference is always there. */
  data: { reference: string } & Record<string, unknown>;
}

/** A documented event, identified by `event`. */
export type KnownWebhookEvent = TransactionCompletedEvent | TransactionFailedEvent;

/** The event of a verified delivery. `switch (event.event)` narrows to the documented ones. */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/**
 * Whether an event is a documented one.
 *
 * @example
 * ```ts
 * const event = verifyWebhook({ body: await request.text(), headers: request.headers, secret });
 * if (isKnownEvent(event)) console.log(event.data.reference, event.data.completed_at);
 * ```
 */
export const isKnownEvent = (event: WebhookEvent): event is KnownWebhookEvent =>
  webhookEventNames.some((name) => name === event.event);
