import { signatureVersion, type WebhookEventName, webhookHeaders } from '../../contract/vocabulary.js';
import { hmacHex } from '../../webhooks/hmac.js';
import type { DeliveryCorruption, SandboxDelivery } from '../records/delivery.js';
import type { SandboxTransaction } from '../records/objects.js';
import { isoTime, serviceTypes, wireToIso } from '../service/transactions.js';

/** The event of a settled transaction. It contains the token for electricity only, as docs/service.md documents. */
export function eventBody(transaction: SandboxTransaction, now: number): string {
  const completed = transaction.completed_at;
  return JSON.stringify({
    event: eventName(transaction),
    timestamp: isoTime(now),
    signature_version: signatureVersion,
    data: {
      reference: transaction.reference,
      status: transaction.status,
      service_type: serviceTypes[transaction.product],
      amount: transaction.amount,
      token: transaction.product === 'electricity' ? transaction.token : null,
      completed_at: completed === undefined ? isoTime(now) : wireToIso(completed),
      metadata: {},
    },
  });
}

export const eventName = ({ status }: SandboxTransaction): WebhookEventName =>
  status === 'success' ? 'transaction.completed' : 'transaction.failed';

/** Older than the whole retry schedule. */
const staleSeconds = 3 * 86_400;

/** The headers of one sending. */
export function signedHeaders(
  delivery: Pick<SandboxDelivery, 'id' | 'event' | 'body'>,
  secret: string,
  now: number,
  corruption: DeliveryCorruption | undefined,
): Record<string, string> {
  const seconds = Math.floor(now / 1000) - (corruption === 'old-timestamp' ? staleSeconds : 0);
  const timestamp = String(seconds);
  const digest = hmacHex(secret, timestamp, delivery.body);
  return {
    'Content-Type': 'application/json',
    [webhookHeaders.signature]: corruption === 'bad-signature' ? [...digest].reverse().join('') : digest,
    [webhookHeaders.timestamp]: timestamp,
    [webhookHeaders.event]: delivery.event,
    [webhookHeaders.deliveryId]: delivery.id,
  };
}
