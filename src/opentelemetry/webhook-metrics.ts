import { parseOptions } from '../validation/parse-options.js';
import { names, webhookEventName } from './attributes.js';
import { inSeconds, type MeterOptions, meterOptions, onFirstUse, recordSafely } from './instruments.js';

/** What is read of a delivery: a `WebhookDeliveryRecord` of `billpay/webhooks`. */
export interface DeliveryLike {
  /** The HTTP status of the response. */
  readonly status: number;
  /** ms from the delivery's arrival to its response. */
  readonly durationMs: number;
  /** The name of the event, once it has been verified. */
  readonly event?: string;
  /** Why the delivery failed verification. */
  readonly reason?: string;
}

/**
 * Counts webhook deliveries by response, event and reason of refusal, and measures how long they take. Its result is the option
 * `onDelivery` of a receiver. The metrics are listed in docs/observability.md.
 *
 * @throws `ConfigurationError` that names the wrong option.
 * @example
 * ```ts
 * const handler = createWebhookHandler({ ...instrumentWebhooks(), secret, on });
 * ```
 */
export function instrumentWebhooks(options: MeterOptions = {}): {
  readonly onDelivery: (record: DeliveryLike) => void;
} {
  const { meter } = parseOptions(meterOptions, options, { owner: 'instrumentWebhooks' });
  const instruments = onFirstUse(meter, (given) => ({
    deliveries: given.createCounter('billpay.webhook.deliveries', {
      description: 'Webhook deliveries, by the status of the response to them.',
      unit: '{delivery}',
    }),
    duration: given.createHistogram(
      'billpay.webhook.delivery.duration',
      inSeconds('Time from the arrival of a webhook delivery to its response.'),
    ),
  }));
  return {
    onDelivery(record) {
      recordSafely(() => {
        const { deliveries, duration } = instruments();
        const { status, event, reason, durationMs } = record;
        const attributes = {
          [names.responseStatus]: status,
          ...(event !== undefined && { [names.webhookEvent]: webhookEventName(event) }),
          ...(reason !== undefined && { [names.errorType]: reason }),
        };
        deliveries.add(1, attributes);
        duration.record(durationMs / 1000, attributes);
      });
    },
  };
}
