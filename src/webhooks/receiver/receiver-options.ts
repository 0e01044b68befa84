import {
  isKnownEvent,
  type TransactionCompletedEvent,
  type TransactionFailedEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from '../../contract/events.js';
import { webhookEventNames } from '../../contract/vocabulary.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import {
  assertOption,
  checkedFunction,
  longestTimerMs,
  refuseUnknownOptions,
} from '../../validation/options.js';
import { checkWhole, type DedupeStore } from '../dedupe/dedupe.js';
import { asList, secretsProblem, type WebhookSecret } from '../secret.js';
import type { SettlementEvents } from '../settlement-events.js';
import { checkTolerance } from '../verify.js';

/** What a handler gets beside its event. */
export interface WebhookContext {
  /** The event's key in the de-duplication store: for `postgresDedupe(...).withTransaction(client).done(key)`. */
  readonly key: string;
}

/** Handles one event, once. What it throws makes the service deliver again. */
export type WebhookEventHandler<Event> = (event: Event, context: WebhookContext) => unknown;

/** What went wrong, for `onError`. */
export interface WebhookFailure {
  /**
   * Where: `read` (the body did not arrive), `verify` (forged, or handed over wrongly), `dedupe` (the store failed),
   * `handle` (a handler threw), `timeout` (a handler is slow; it goes on).
   */
  readonly stage: 'read' | 'verify' | 'dedupe' | 'handle' | 'timeout';
  /** The event, once it has verified. Its token is worth money: do not log it. */
  readonly event?: WebhookEvent | undefined;
}

/** Where the receiver writes its lines. `console` is one. */
export interface WebhookLogger {
  warn(message: string, fields: object): void;
  error(message: string, fields: object): void;
}

/** What `createWebhookHandler` is told. */
export interface WebhookHandlerOptions {
  /**
   * The subscription's `whsec_` secret, or several while one replaces the other. `undefined` compiles and is refused at
   * run time, so `process.env.BILLPAY_WEBHOOK_SECRET` can be passed as it is.
   */
  secret: WebhookSecret;
  /** One handler an event. An event without one is answered 200 and dropped. */
  on?: {
    /** The sale succeeded: give value. */
    'transaction.completed'?: WebhookEventHandler<TransactionCompletedEvent>;
    /** The sale failed and the wallet has been refunded: refund your customer. */
    'transaction.failed'?: WebhookEventHandler<TransactionFailedEvent>;
  };
  /** Handles every event that this version does not know (default: answered 200 and dropped). */
  onUnknown?: WebhookEventHandler<UnknownWebhookEvent>;
  /** Told of everything that goes wrong, beside the log line. What it throws is ignored. */
  onError?: (error: unknown, failure: WebhookFailure) => unknown;
  /**
   * Remembers what was handled, by event and reference (default: `memoryDedupe()`, for one process). `false` hands every
   * delivery to your handler, repeated and replayed ones too.
   */
  dedupe?: DedupeStore | false;
  /** Is fed every settlement that verifies, for `transactions.waitUntilSettled(reference, { events })`. */
  events?: Pick<SettlementEvents, 'publish'>;
  /** Seconds; see `verifyWebhook` (default 114,960: the retry schedule plus 5 minutes). */
  tolerance?: number;
  /**
   * How long a delivery may take before it is answered 503, in ms (default 10,000). The handler goes on: when it succeeds
   * after all, the event counts as done, and until then a repeated delivery is not handled beside it.
   */
  timeout?: number;
  /** Larger bodies are answered 413 (default 1,048,576). */
  maxBodyBytes?: number;
  /** Where log lines go (default: the console). They hold no secrets and no tokens. */
  logger?: WebhookLogger;
}

/** The options with their defaults, checked; `dedupe` as given. */
export interface ReceiverSettings {
  readonly secret: readonly string[];
  readonly tolerance: number | undefined;
  readonly timeout: number;
  readonly maxBodyBytes: number;
  readonly dedupe: DedupeStore | false | undefined;
  readonly events: Pick<SettlementEvents, 'publish'> | undefined;
  readonly onError: WebhookHandlerOptions['onError'];
  readonly logger: WebhookLogger;
  readonly handlers: Pick<WebhookHandlerOptions, 'on' | 'onUnknown'>;
}

const optionNames = [
  'secret',
  'on',
  'onUnknown',
  'onError',
  'dedupe',
  'events',
  'tolerance',
  'timeout',
  'maxBodyBytes',
  'logger',
];

/** Checks what a caller gave and fills in the defaults. @throws ConfigurationError naming the option that is wrong. */
export function receiverSettings(options: WebhookHandlerOptions): ReceiverSettings {
  refuseUnknownOptions(options, optionNames, 'createWebhookHandler');
  const { secret, on, onUnknown, onError, dedupe, events, tolerance, logger = console } = options;
  const { timeout = 10_000, maxBodyBytes = 1_048_576 } = options;
  const problem = secretsProblem(secret);
  if (problem) throw new ConfigurationError('secret', problem.message);
  checkHandlers(options);
  checkedFunction('onUnknown', onUnknown);
  checkedFunction('onError', onError);
  if (dedupe !== undefined && dedupe !== false) {
    checkMethods(
      'dedupe',
      dedupe,
      ['begin', 'done', 'release'],
      ': memoryDedupe(), redisDedupe(client) or postgresDedupe(pool)',
    );
  }
  if (events !== undefined)
    checkMethods('events', events, ['publish'], ': what createSettlementEvents() returned');
  if (tolerance !== undefined) checkTolerance(tolerance);
  checkWhole('timeout', timeout, 'ms');
  assertOption(timeout <= longestTimerMs, 'timeout', `must be at most ${longestTimerMs} ms`);
  checkWhole('maxBodyBytes', maxBodyBytes, 'bytes');
  checkMethods('logger', logger, ['warn', 'error'], ', as console has them');
  const handlers = { ...(on && { on: { ...on } }), ...(onUnknown && { onUnknown }) };
  return {
    secret: [...asList(secret)],
    tolerance,
    timeout,
    maxBodyBytes,
    dedupe,
    events,
    onError,
    logger,
    handlers,
  };
}

function checkHandlers({ on, onUnknown, events }: WebhookHandlerOptions): void {
  if (on === undefined) {
    if (onUnknown || events) return;
    throw new ConfigurationError('on', `is missing: give a function for ${webhookEventNames.join(' and ')}`);
  }
  assertOption(
    typeof on === 'object' && on !== null,
    'on',
    "must be an object: { 'transaction.completed': async (event) => { ... } }",
  );
  for (const [name, handler] of Object.entries(on)) {
    if (!webhookEventNames.some((known) => known === name)) {
      const remedy = `it takes ${webhookEventNames.join(' and ')}; onUnknown gets all others`;
      throw new ConfigurationError('on', `'${name}' is not a documented event: ${remedy}`);
    }
    checkedFunction(`on['${name}']`, handler);
  }
}

function checkMethods(option: string, value: unknown, names: readonly string[], remedy: string): void {
  const missing = names.filter((name) => typeof Reflect.get(Object(value), name) !== 'function');
  if (missing.length > 0) {
    throw new ConfigurationError(option, `lacks ${missing.join(', ')}${remedy}`);
  }
}

/** What is to be run for an event; undefined where nothing is. */
export function handlerOf(
  { on, onUnknown }: ReceiverSettings['handlers'],
  event: WebhookEvent,
): ((context: WebhookContext) => unknown) | undefined {
  if (!isKnownEvent(event)) return onUnknown && ((context) => onUnknown(event, context));
  if (event.event === 'transaction.completed') {
    const handle = on?.['transaction.completed'];
    return handle && ((context) => handle(event, context));
  }
  const handle = on?.['transaction.failed'];
  return handle && ((context) => handle(event, context));
}
