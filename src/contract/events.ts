import { type Documented, type Open, type Undocumented, webhookEventNames } from './vocabulary.js';

/** What every webhook delivery carries besides `event`. */
interface WebhookEnvelope {
  /** When the event was made, ISO 8601 UTC, such as `2026-01-31T09:30:00Z`. */
  timestamp: string;
  /** `v1`. */
  signature_version: Open<'v1'>;
  /** The `X-Service-Delivery-ID` header: one UUID over all retries of an event; undefined when it did not come. */
  delivery_id: string | undefined;
}

/** What a settlement event says of its transaction. */
export interface WebhookTransaction {
  /** The reference that the purchase returned: the key to de-duplicate by. */
  reference: string;
  /** `success` for the completed event; for the failed event not documented. */
  status: Documented<'success' | 'failed'>;
  /** As in the status lookup. */
  service_type: string;
  /** NGN. */
  amount: number;
  /** The electricity token on success, else null. Education PINs: read them from the status lookup. Never log it. */
  token: string | null;
  /** When the transaction settled, ISO 8601 UTC. */
  completed_at: string;
  /** Contents are not documented. */
  metadata: Record<string, unknown>;
}

/** A transaction reached `success`: give value now, once. */
export interface TransactionCompletedEvent extends WebhookEnvelope {
  event: 'transaction.completed';
  data: WebhookTransaction;
}

/** A transaction reached `failed`; the wallet has already been refunded. */
export interface TransactionFailedEvent extends WebhookEnvelope {
  event: 'transaction.failed';
  data: WebhookTransaction;
}

/** The name of an event that the service does not document: any string at run time, compared as `String(event.event)`. */
export type UndocumentedEventName = Undocumented;

/** An event that this version does not know: verified, and handed on as it came. */
export interface UnknownWebhookEvent extends WebhookEnvelope {
  /** Any name but the documented ones: a string at run time. */
  event: UndocumentedEventName;
  data: { reference: string } & Record<string, unknown>;
}

/** A documented event: `event` tells which. */
export type KnownWebhookEvent = TransactionCompletedEvent | TransactionFailedEvent;

/** Whatever a verified delivery may hold. `switch (event.event)` narrows to the documented ones. */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/** Whether an event is one that service.md documents. */
export const isKnownEvent = (event: WebhookEvent): event is KnownWebhookEvent =>
  webhookEventNames.some((name) => name === event.event);
