import {
  isKnownEvent,
  type TransactionCompletedEvent,
  type TransactionFailedEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from '../contract/events.js';
import { webhookEventNames } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/base.js';
import type { WebhookVerificationReason } from '../errors/webhook-errors.js';
import type { PinoLike } from '../utils/logger.js';
import {
  accepted,
  fn,
  logger,
  longestTimerMs,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  unchecked,
  wholeNumber,
  withDefault,
  withMethods,
} from '../validation/options.js';
import type { DedupeStore, WebhookContext, WebhookEventHandler } from './dedupe/dedupe.js';
import { secretsOf, secretsProblem, type WebhookSecret } from './secret.js';
import { tolerance } from './verify.js';

/** Where a failure happened, for `onError`. */
export interface WebhookFailure {
  /**
   * `request` (the handler was called with something that is not a `Request`), `read` (the body did not arrive), `verify`
   * (forged, or passed on wrongly), `dedupe` (the store failed), `handle` (a handler threw), `timeout` (a handler is slow and
   * keeps running).
   */
  readonly stage: 'request' | 'read' | 'verify' | 'dedupe' | 'handle' | 'timeout';
  /** The event, once it has been verified. Its token is worth money: do not log it. */
  readonly event?: WebhookEvent | undefined;
}

/** The response to a delivery, for `onDelivery`. */
export interface WebhookDeliveryRecord {
  /** The HTTP status of the response; `createWebhookHandler` lists what each means. */
  readonly status: number;
  /** ms from the delivery's arrival to its response, reading the body included. */
  readonly durationMs: number;
  /** The name of the event, once it has been verified. */
  readonly event?: WebhookEvent['event'];
  /** Why the delivery failed verification. */
  readonly reason?: WebhookVerificationReason;
}

/** Receives the log lines of a receiver, as `console` does. */
export interface WebhookLogger {
  /** Deliveries whose handler threw a `RetryLaterError`, so that the service sends them again. */
  info(message: string, fields: object): void;
  /** Deliveries that are forged, late or broken, and handlers that are slow. */
  warn(message: string, fields: object): void;
  /** Handlers and stores that failed, with their stack. */
  error(message: string, fields: object): void;
}

/** Options for `createWebhookHandler`. */
export interface WebhookHandlerOptions {
  /**
   * The subscription's `whsec_` secret, or several while one replaces the other. Pass `process.env.BILLPAY_WEBHOOK_SECRET` as it
   * is: where a secret is missing or empty, such as during a build, one line is logged, and every delivery gets a 500 response
   * until there is one. A wrong secret is refused at once.
   */
  secret: WebhookSecret;
  /** One handler for each event. An event without a handler gets a 200 response and is dropped. Default: none, where there is `onUnknown`. */
  on?:
    | {
        /** The purchase succeeded: give value. */
        'transaction.completed'?: WebhookEventHandler<TransactionCompletedEvent> | undefined;
        /** The purchase failed and the wallet has been refunded: refund your customer. */
        'transaction.failed'?: WebhookEventHandler<TransactionFailedEvent> | undefined;
      }
    | undefined;
  /** Handles every event that this version does not know. Default: these get a 200 response and are dropped. */
  onUnknown?: WebhookEventHandler<UnknownWebhookEvent> | undefined;
  /** Called for each failure in addition to the log line, except for a `RetryLaterError`. What it throws is ignored. Default: none. */
  onError?: ((error: unknown, failure: WebhookFailure) => unknown) | undefined;
  /** Called once for each delivery, when its response is known: for metrics. What it throws is ignored. Default: none. */
  onDelivery?: ((record: WebhookDeliveryRecord) => unknown) | undefined;
  /**
   * Remembers by event and reference what was handled (default: `memoryDedupe()`, for one process). `false` passes every
   * delivery to your handler, repeated and replayed ones too.
   */
  dedupe?: DedupeStore | false | undefined;
  /** Seconds; see `verifyWebhook` (default 114,960: the retry schedule plus 5 minutes). */
  tolerance?: number | undefined;
  /**
   * How long a delivery may take, reading its body included, in ms (default 10,000). A body that has not arrived by then gets
   * a 408 response. A handler that has not finished gets a 503 response and keeps running: when it succeeds after all, the
   * event counts as handled, and until then a repeated delivery is not handled at the same time.
   */
  timeout?: number | undefined;
  /** The largest body in bytes (default 1,048,576). Larger ones get a 413 response. */
  maxBodyBytes?: number | undefined;
  /**
   * Where log lines go: the loggers that a client accepts (default: the console). They contain no secrets and no tokens. A pino
   * instance is recognised and gets `(fields, message)`; for other loggers there are `pinoLogger` and `winstonLogger`.
   */
  logger?: WebhookLogger | PinoLike | undefined;
  /**
   * The current time as a `Date` or in ms since 1970, against which the age of a delivery is checked (default: the system
   * clock). For tests with recorded deliveries.
   */
  now?: (() => Date | number) | undefined;
}

/** Functions, so that a bundle that only verifies needs none of them. */
const schema = () => {
  const store = withMethods<DedupeStore>(
    ['begin', 'done', 'release'],
    'must be false or a de-duplication store, such as memoryDedupe(), redisDedupe(client) or postgresDedupe(pool)',
  );
  return optionsOf({
    secret: unchecked<WebhookSecret>(),
    on: optional(
      optionsOf({
        'transaction.completed': optional(fn<WebhookEventHandler<TransactionCompletedEvent>>()),
        'transaction.failed': optional(fn<WebhookEventHandler<TransactionFailedEvent>>()),
      } satisfies OptionShape<NonNullable<WebhookHandlerOptions['on']>>),
    ),
    onUnknown: optional(fn<WebhookEventHandler<UnknownWebhookEvent>>()),
    onError: optional(fn<NonNullable<WebhookHandlerOptions['onError']>>()),
    onDelivery: optional(
      fn<NonNullable<WebhookHandlerOptions['onDelivery']>>(' that takes one delivery record'),
    ),
    dedupe: optional<DedupeStore | false>({
      safeParse: (value) => (value === false ? accepted(value) : store.safeParse(value)),
    }),
    tolerance: optional(tolerance()),
    timeout: withDefault(wholeNumber(1, longestTimerMs), 10_000),
    maxBodyBytes: withDefault(wholeNumber(1), 1_048_576),
    logger: withDefault(logger<WebhookLogger>(['info', 'warn', 'error']), console),
    now: withDefault(
      fn<NonNullable<WebhookHandlerOptions['now']>>(
        ' that returns the current time as a Date or in ms, such as Date.now',
      ),
      () => Date.now(),
    ),
  } satisfies OptionShape<WebhookHandlerOptions>);
};

const owner = 'createWebhookHandler';

/** Checks the options and adds the defaults, except for `dedupe`. @throws ConfigurationError that names the wrong option. */
export function receiverSettings(options: WebhookHandlerOptions) {
  const { secret, on, onUnknown, ...given } = parseOptions(schema(), options, { owner });
  const problem = secretsProblem(secret);
  if (problem && !problem.isMissing) throw new ConfigurationError('secret', problem.message);
  if (on === undefined && !onUnknown) {
    throw new ConfigurationError('on', `is missing: pass a function for ${webhookEventNames.join(' and ')}`);
  }
  return {
    ...given,
    secret: typeof secret === 'string' ? secret : secret && [...secret],
    /** The secrets that there are, for redaction. */
    secrets: secretsOf(secret),
    handlers: { on, onUnknown },
  };
}

export type ReceiverSettings = ReturnType<typeof receiverSettings>;

/** The handler for an event with its argument bound; undefined when there is none. */
export function handlerOf(
  { on, onUnknown }: ReceiverSettings['handlers'],
  event: WebhookEvent,
): ((context: WebhookContext) => unknown) | undefined {
  if (!isKnownEvent(event)) return onUnknown && ((context) => onUnknown(event, context));
  const handle: WebhookEventHandler<never> | undefined = on?.[event.event];
  return handle && ((context) => handle(event as never, context));
}
