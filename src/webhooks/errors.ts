import { errorClass } from '../errors/base.js';

/**
 * Thrown by your webhook handler when it cannot handle an event yet, such as one whose order has not been stored. A receiver
 * responds with 503, so that the service delivers the event again (after 1, 5, 15 and 30 minutes, 1, 6 and 24 hours), and
 * logs it as info.
 *
 * @example
 * ```ts
 * createWebhookHandler({
 *   secret,
 *   on: {
 *     'transaction.completed': async ({ data: { reference, token } }) => {
 *       const order = await findOrder(reference);
 *       if (!order) throw new RetryLaterError(`no order has the reference ${reference} yet`);
 *       await deliver(order, token);
 *     },
 *   },
 * });
 * ```
 */
export class RetryLaterError extends errorClass('RetryLaterError', 'RETRY_LATER') {
  constructor(
    message = 'the event cannot be handled yet and must be delivered again',
    options: { cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}

/**
 * Another run handled this event in the meantime. Thrown inside a database transaction so that the transaction is rolled back; a
 * receiver that gets it from a handler responds with 200.
 */
export class AlreadyHandledError extends errorClass('AlreadyHandledError', 'ALREADY_HANDLED') {
  constructor() {
    super('another receiver has handled this event: roll this transaction back');
  }
}
