import type { WebhookSubscribeParams } from '../contract/params.js';
import type { WebhookSubscription } from '../contract/responses.js';
import type { ApiCall } from '../http/api-call.js';
import type { CallOperation } from '../http/call-operation.js';
import type { CallOptions } from '../options.js';

/** The webhook subscription. Receiving is `verifyWebhook` and `billpay/webhooks`. */
export class Webhooks {
  readonly #call: CallOperation;

  /** @internal */
  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Subscribes one endpoint to settlement events (POST /webhooks/subscribe). **The secret is returned only this once:** store
   * it before anything else. Never repeated after an answer was lost, because the lost answer held the secret. Needs a secret key.
   *
   * @throws `ValidationError` for a url that is not https (http is accepted for loopback hosts) or is over 2048 characters.
   *
   * @example
   * ```ts
   * const { secret } = await billpay.webhooks.subscribe({ url: 'https://example.com/webhooks/billpay' });
   * ```
   */
  subscribe(params: WebhookSubscribeParams, options?: CallOptions): ApiCall<WebhookSubscription> {
    return this.#call('webhooks.subscribe', params, options);
  }
}
