import type { WebhookSubscribeParams } from '../contract/params.js';
import type { WebhookSubscription } from '../contract/responses.js';
import type { ApiCall } from '../http/api-promise.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions } from '../options.js';

/** The webhook subscription. To receive webhooks, use `billpay/webhooks`. */
export interface Webhooks {
  /**
   * Subscribes one endpoint to settlement events (POST /webhooks/subscribe). **The secret is returned only this once:** store
   * it before anything else. Never repeated after a lost response, because that response contained the secret: if it is lost, subscribe
   * again and use the newest secret. `enabled` is true by default. Needs a secret key (docs/service.md, "Authentication", rule 4).
   *
   * @throws `ValidationError` for a url that is not https (http is accepted for loopback hosts) or is over 2048 characters.
   *
   * @example
   * ```ts
   * const { secret } = await billpay.webhooks.subscribe({ url: 'https://example.com/webhooks/billpay' });
   * ```
   */
  subscribe(params: WebhookSubscribeParams, options?: CallOptions): ApiCall<WebhookSubscription>;
}

export const createWebhooks = (call: CallOperation): Webhooks => ({
  subscribe: (params, options) => call('webhooks.subscribe', params, options),
});
